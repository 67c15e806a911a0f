import { useCallback, useEffect, useState } from "react";
import { makeIdempotencyKey } from "./clock.ts";
import { readStored, writeStored } from "./storage.ts";

/** What has been typed so far, and the Idempotency-Key under which it will be sent. */
export interface KeptForm<T> {
  readonly value: T;
  readonly idempotencyKey: string;
}

export interface KeptFormHandle<T> extends KeptForm<T> {
  set(change: Partial<T>): void;
  /** After it was sent: the next form is another form. */
  clear(): void;
}

const FORM_CHARS_MAX = 4_000_000;

/**
 * A form that survives a reload and the end of a session. Its key is made with it and kept with it:
 * a double click, a retry and a reload do the work once.
 */
export function useKeptForm<T extends object>(name: string, empty: T): KeptFormHandle<T> {
  const [form, setForm] = useState<KeptForm<T>>(() => restore(name, empty));
  useEffect(() => {
    const text = JSON.stringify(form);
    if (text.length <= FORM_CHARS_MAX) writeStored(sessionStorage, `form.${name}`, text);
  }, [name, form]);
  const set = useCallback(
    (change: Partial<T>) =>
      setForm((before) => ({
        value: { ...before.value, ...change },
        // Other content is another request: an old key would be a conflict.
        idempotencyKey: makeIdempotencyKey(),
      })),
    [],
  );
  const clear = useCallback(() => {
    writeStored(sessionStorage, `form.${name}`, null);
    setForm(fresh(empty));
  }, [name, empty]);
  return { ...form, set, clear };
}

function fresh<T>(value: T): KeptForm<T> {
  return { value, idempotencyKey: makeIdempotencyKey() };
}

function restore<T extends object>(name: string, empty: T): KeptForm<T> {
  const text = readStored(sessionStorage, `form.${name}`);
  if (text === null) return fresh(empty);
  try {
    const kept = JSON.parse(text) as KeptForm<T>;
    return { value: { ...empty, ...kept.value }, idempotencyKey: kept.idempotencyKey };
  } catch {
    return fresh(empty);
  }
}
