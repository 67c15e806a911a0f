import { parseTimestamp, ZONE_ATTRIBUTES, zonesOf } from "@longwave/contract";
import { isTimeZone, momentOf, wallClockAt } from "../../core/platform/time-zones.ts";
import type { ContactRow } from "../../people/contacts/index.ts";
import { CONTACT_ZONE, type Wait } from "./program.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type ZonedContact = Pick<ContactRow, "phone_number" | "attributes">;

/** Latest end of a wait that begins at `now`, in Unix milliseconds. */
export function waitEnd(wait: Wait, contact: ZonedContact, now: number): number {
  switch (wait.kind) {
    case "seconds":
    case "event":
      return now + wait.seconds * 1_000;
    case "moment":
      return parseTimestamp(wait.at) ?? now;
    case "time": {
      const zone = wait.timezone === CONTACT_ZONE ? zoneOf(contact) : wait.timezone;
      return nextTimeOfDay(wait.time, zone, now);
    }
  }
}

/** The zone that the contact's attributes name, else the first zone of the number's area code. */
function zoneOf({ phone_number, attributes }: ZonedContact): string {
  const named = ZONE_ATTRIBUTES.map((attribute) => attributes?.[attribute]);
  const own = named.find((name) => name !== undefined && isTimeZone(name));
  return own ?? zonesOf(phone_number)[0] ?? "UTC";
}

/** The next time after `now` at which clocks of the zone read `time`. */
function nextTimeOfDay(time: string, zone: string, now: number): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const wallMs = wallClockAt(now, zone);
  const today = Math.floor(wallMs / DAY_MS) * DAY_MS + (hours * 60 + minutes) * MINUTE_MS;
  const at = momentOf(today, zone);
  return at > now ? at : momentOf(today + DAY_MS, zone);
}
