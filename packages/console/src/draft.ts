import { useCallback, useEffect, useState } from "react";
import { makeIdempotencyKey } from "./clock.ts";
import { readStored, writeStored } from "./storage.ts";

/** A draft, and the Idempotency-Key under which it will be sent. */
export interface Draft<T> {
  readonly value: T;
  readonly idempotencyKey: string;
}

export interface DraftHandle<T> extends Draft<T> {
  set(change: Partial<T>): void;
  /** Discards the draft after it was sent. */
  clear(): void;
}

const DRAFT_CHARS_MAX = 4_000_000;

/**
 * A form that survives a reload and the end of a session. Its Idempotency-Key is stored with it: a
 * double click, a retry and a reload do the work once.
 */
export function useDraft<T extends object>(name: string, empty: T): DraftHandle<T> {
  const [form, setForm] = useState<Draft<T>>(() => restore(name, empty));
  useEffect(() => {
    const text = JSON.stringify(form);
    if (text.length <= DRAFT_CHARS_MAX) writeStored(sessionStorage, `form.${name}`, text);
  }, [name, form]);
  const set = useCallback(
    (change: Partial<T>) =>
      setForm((before) => ({
        value: { ...before.value, ...change },
        // Changed content is another request: the old key would be a conflict.
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

/** Leaves a draft for the form that opens next. */
export function storeDraft<T>(name: string, value: T): void {
  writeStored(sessionStorage, `form.${name}`, JSON.stringify(fresh(value)));
}

function fresh<T>(value: T): Draft<T> {
  return { value, idempotencyKey: makeIdempotencyKey() };
}

function restore<T extends object>(name: string, empty: T): Draft<T> {
  const text = readStored(sessionStorage, `form.${name}`);
  if (text === null) return fresh(empty);
  try {
    const stored = JSON.parse(text) as Draft<T>;
    return { value: { ...empty, ...stored.value }, idempotencyKey: stored.idempotencyKey };
  } catch {
    return fresh(empty);
  }
}
