import { Problem, parseTimestamp, TIMESTAMP_FORM } from "@longwave/contract";

/** The moment that a parameter such as `created_after` names, or null when it is not given. */
export function momentOf(given: string | undefined, param: string): number | null {
  if (given === undefined) return null;
  const ms = parseTimestamp(given);
  if (ms !== null) return ms;
  throw new Problem("invalid_request", `${param} must be ${TIMESTAMP_FORM}.`, { param });
}
