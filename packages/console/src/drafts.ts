import { useCallback, useEffect, useState } from "react";
import { makeIdempotencyKey } from "./clock.ts";
import { readStored, writeStored } from "./storage.ts";

/** What has been typed so far, and the Idempotency-Key under which it will be sent. */
export interface Draft<T> {
  readonly value: T;
  readonly idempotencyKey: string;
}

export interface DraftHandle<T> extends Draft<T> {
  set(change: Partial<T>): void;
  /** After it was sent: the next form is another form. */
  clear(): void;
}

const DRAFT_CHARS_MAX = 4_000_000;

/**
 * A form that survives a reload and the end of a session. Its key is made with it and kept with it:
 * a double click, a retry and a reload do the work once.
 */
export function useDraft<T extends object>(name: string, empty: T): DraftHandle<T> {
  const [draft, setDraft] = useState<Draft<T>>(() => restore(name, empty));
  useEffect(() => {
    const text = JSON.stringify(draft);
    if (text.length <= DRAFT_CHARS_MAX) writeStored(sessionStorage, `draft.${name}`, text);
  }, [name, draft]);
  const set = useCallback(
    (change: Partial<T>) =>
      setDraft((before) => ({
        value: { ...before.value, ...change },
        // Other content is another request: an old key would be a conflict.
        idempotencyKey: makeIdempotencyKey(),
      })),
    [],
  );
  const clear = useCallback(() => {
    writeStored(sessionStorage, `draft.${name}`, null);
    setDraft(fresh(empty));
  }, [name, empty]);
  return { ...draft, set, clear };
}

function fresh<T>(value: T): Draft<T> {
  return { value, idempotencyKey: makeIdempotencyKey() };
}

function restore<T extends object>(name: string, empty: T): Draft<T> {
  const text = readStored(sessionStorage, `draft.${name}`);
  if (text === null) return fresh(empty);
  try {
    const kept = JSON.parse(text) as Draft<T>;
    return { value: { ...empty, ...kept.value }, idempotencyKey: kept.idempotencyKey };
  } catch {
    return fresh(empty);
  }
}
