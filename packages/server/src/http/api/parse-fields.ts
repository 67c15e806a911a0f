import {
  isBlank,
  Problem,
  parseDestination,
  parseTimestamp,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";

/** Recipient number of a message, in the stored form. */
export function parseRecipient(deps: Base, input: string, param: string): string {
  return parseRecipientDetails(deps, input, param).e164;
}

/** Recipient number with its country. */
export function parseRecipientDetails(
  deps: Base,
  input: string,
  param: string,
): { readonly e164: string; readonly country: string } {
  const parsed = parseDestination(input, deps.destinations);
  if (!parsed.ok) throw new Problem("invalid_request", `${param}: ${parsed.reason}`, { param });
  return parsed;
}

/** Timestamp in a parameter such as `created_after`, or null without the parameter. */
export function parseTimestampParam(given: string | undefined, param: string): number | null {
  if (given === undefined) return null;
  const ms = parseTimestamp(given);
  if (ms !== null) return ms;
  throw new Problem("invalid_request", `${param} must be ${TIMESTAMP_FORM}.`, { param });
}

/** Refuses a name, or other human-readable string, without a visible character. */
export function requireNotBlank(text: string | undefined, param: string): void {
  if (text === undefined || !isBlank(text)) return;
  throw new Problem("invalid_request", `${param} must not be blank.`, { param });
}
