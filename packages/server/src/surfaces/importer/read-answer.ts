import { type Answer, ImportStopped } from "./provider.ts";

/** Reads fields of a provider's answer. A field of the wrong type stops the import. */
export function listIn(answer: Answer, field: string, provider: string): readonly Answer[] {
  const list = answer[field];
  const isList =
    Array.isArray(list) && list.every((item) => typeof item === "object" && item !== null);
  if (isList) return list as Answer[];
  throw malformed(provider, field);
}

export function stringIn(answer: Answer, field: string, provider: string): string {
  const text = answer[field];
  if (typeof text === "string" && text !== "" && text.length <= 2_048) return text;
  throw malformed(provider, field);
}

/** A string that may be missing, null or empty. */
export function stringOrNull(answer: Answer, field: string): string | null {
  const text = answer[field];
  return typeof text === "string" && text !== "" && text.length <= 2_048 ? text : null;
}

export function objectIn(answer: Answer, field: string): Answer {
  const value = answer[field];
  return typeof value === "object" && value !== null ? (value as Answer) : {};
}

export function malformed(provider: string, field: string): ImportStopped {
  const message = `${provider} answered a list without ${field}, or with one that cannot be read. Nothing was made.`;
  return new ImportStopped("provider_answer", message);
}
