import { normalizePhone, Problem, parseTextable, type TextablePhone } from "@longwave/contract";
import type { Base } from "../base.ts";

/** A number that may be texted, or why not: nobody consents on a number that nothing is sent to. */
export function parsePhone(deps: Base, input: string): TextablePhone {
  return parseTextable(input, { extraRegions: deps.extraRegions });
}

/** The E.164 of a number in a path or a filter. It need not be one that may be texted now. */
export function phoneOf(input: string, param: string): string {
  const phone = normalizePhone(input);
  if (phone === null) {
    throw new Problem(
      "invalid_request",
      `${param} must be a phone number: +14155550100, or the 10 digits of a US or Canada number.`,
      { param },
    );
  }
  return phone;
}
