import { parseTimestamp, zonesOf } from "@longwave/contract";
import type { ContactRow } from "../contacts/index.ts";
import { isTimeZone, momentOf, wallClockAt } from "../platform/time-zones.ts";
import { CONTACT_ZONE, type Wait } from "./program.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The attribute of a contact that names its zone. */
const ZONE_ATTRIBUTE = "timezone";

type Known = Pick<ContactRow, "phone_number" | "attributes">;

/** When a wait that begins now is over, at the latest. */
export function waitEnd(wait: Wait, contact: Known, now: number): number {
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

/** The contact's own word, else the zone of its area code: the first, where it has several. */
function zoneOf({ phone_number, attributes }: Known): string {
  const own = attributes?.[ZONE_ATTRIBUTE];
  if (own !== undefined && isTimeZone(own)) return own;
  return zonesOf(phone_number)[0] ?? "UTC";
}

/** The next moment after now at which the clocks of a zone read this. */
function nextTimeOfDay(time: string, zone: string, now: number): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const wallMs = wallClockAt(now, zone);
  const today = Math.floor(wallMs / DAY_MS) * DAY_MS + (hours * 60 + minutes) * MINUTE_MS;
  const at = momentOf(today, zone);
  return at > now ? at : momentOf(today + DAY_MS, zone);
}
