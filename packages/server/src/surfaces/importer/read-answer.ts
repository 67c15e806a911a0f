import { type Answer, ImportStopped } from "./provider.ts";

/** Reads what a provider answers, field by field: what is not as it should be stops the import. */
export function listIn(answer: Answer, field: string, provider: string): readonly Answer[] {
  const list = answer[field];
  const isList =
    Array.isArray(list) && list.every((item) => typeof item === "object" && item !== null);
  if (isList) return list as Answer[];
  throw nonsense(provider, field);
}

export function textIn(answer: Answer, field: string, provider: string): string {
  const text = answer[field];
  if (typeof text === "string" && text !== "" && text.length <= 2_048) return text;
  throw nonsense(provider, field);
}

/** Text that may be left out, be null or be empty. */
export function textOrNull(answer: Answer, field: string): string | null {
  const text = answer[field];
  return typeof text === "string" && text !== "" && text.length <= 2_048 ? text : null;
}

export function objectIn(answer: Answer, field: string): Answer {
  const value = answer[field];
  return typeof value === "object" && value !== null ? (value as Answer) : {};
}

export function nonsense(provider: string, field: string): ImportStopped {
  const message = `${provider} answered a list without ${field}, or with one that cannot be read. Nothing was made.`;
  return new ImportStopped("provider_answer", message);
}
