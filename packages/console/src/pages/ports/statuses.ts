import type { PortRequest } from "@longwave/sdk";

/** The usual way of a port request; a rejected one stands where it began. */
export const PORT_WAY: readonly (readonly PortRequest["status"][])[] = [
  ["requested", "rejected"],
  ["submitted"],
  ["foc_set"],
  ["complete"],
];

/** What happens next, told to the customer. */
export const NEXT: Readonly<Record<PortRequest["status"], string>> = {
  requested: "The operator checks the request and passes it to the carrier that has the number.",
  submitted: "The carrier that has the number names the day on which it moves.",
  foc_set: "On that day the number moves. Until then it works where it is.",
  complete: "The number is yours here. Link a registration, and it can text the public.",
  rejected: "It was refused. Once the reason is mended, the operator opens it again.",
};

/** A day without a time belongs to no time zone: it is shown as it is written, in words. */
export function formatDate(date: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(`${date}T00:00:00Z`),
  );
}
