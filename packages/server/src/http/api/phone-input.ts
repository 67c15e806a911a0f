import { type Destination, normalizePhone, Problem, parseDestination } from "@longwave/contract";
import type { Base } from "../../core/base.ts";

/** A number that can receive messages, or the reason why not: consent for an unreachable number is useless. */
export function parsePhone(deps: Base, input: string): Destination {
  return parseDestination(input, deps.destinations);
}

/** The E.164 of a number in a path or filter. The number need not be able to receive messages now. */
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
