import type { PortRequest } from "@longwave/sdk";

/** Usual statuses of a port request in order; a rejected one shows at the first position. */
export const USUAL_STATUSES: readonly (readonly PortRequest["status"][])[] = [
  ["requested", "rejected"],
  ["submitted"],
  ["foc_set"],
  ["complete"],
];

/** The next step, in words for the customer. */
export const NEXT_STEP: Readonly<Record<PortRequest["status"], string>> = {
  requested: "The operator checks the request and passes it to the carrier that has the number.",
  submitted: "The carrier that has the number names the day on which it moves.",
  foc_set: "On that day the number moves. Until then it works where it is.",
  complete: "The number is yours here. Link a registration, and it can text the public.",
  rejected: "It was refused. Correct the reason; the operator then opens it again.",
};

/** A date without a time has no time zone: format it as it is, without conversion. */
export function formatDate(date: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(`${date}T00:00:00Z`),
  );
}
