import type { Event } from "@longwave/sdk";
import { formatPhone } from "../../ui/format.ts";

const INBOUND = /^message\.(received|opted_)/;

/** Short label of the person or object that an event is about. */
export function subjectOf(event: Event): string {
  const data = event.data as Readonly<Record<string, unknown>>;
  // The person: who wrote, or who was written to.
  const ends = INBOUND.test(event.type) ? ["from", "to"] : ["to", "from"];
  for (const name of [...ends, "phone", "phone_number"]) {
    const value = data[name];
    if (typeof value === "string") return formatPhone(value);
  }
  for (const name of ["batch_id", "message", "schedule_id", "value"]) {
    const value = data[name];
    if (typeof value === "string") return value;
  }
  return "";
}
