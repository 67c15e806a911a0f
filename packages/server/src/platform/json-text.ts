/**
 * JSON written by hand, for the few texts that every message costs one of: a template with the
 * fields that are there takes half the time of building an object and handing it to JSON.stringify.
 */

/** Anything but printable characters that stand for themselves. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** A string as JSON.stringify writes it. */
export function jsonString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The same, or `null`. */
export function jsonStringOrNull(text: string | null): string {
  return text === null ? "null" : jsonString(text);
}
