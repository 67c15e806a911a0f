import type { Event } from "@longwave/sdk";
import { formatPhone } from "../../ui/format.ts";

/** Short label of the person or object that an event is about. */
export function subjectOf(event: Event): string {
  const data = event.data as Readonly<Record<string, unknown>>;
  for (const name of ["to", "from", "phone", "phone_number"]) {
    const value = data[name];
    if (typeof value === "string") return formatPhone(value);
  }
  for (const name of ["batch_id", "message", "schedule_id", "value"]) {
    const value = data[name];
    if (typeof value === "string") return value;
  }
  return "";
}
