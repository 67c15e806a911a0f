import { type Event, type EventType, formatTimestamp } from "@longwave/contract";
import { toApiId } from "../platform/ids.ts";

/** An event as it is read: its data is the text that was stored. */
export interface EventRow {
  readonly id: string;
  readonly seq: number;
  readonly type: EventType;
  readonly created_at: number;
  readonly data: string;
}

/**
 * The body of a webhook: the text of the event, byte for byte as the lists show it. The data is
 * put in as it was stored, so that no attempt depends on how it is parsed and written again.
 */
export function eventText(row: EventRow, id = toApiId("event", row.id)): string {
  const at = formatTimestamp(row.created_at);
  return `{"id":"${id}","object":"event","type":"${row.type}","created_at":"${at}","data":${row.data}}`;
}

export function presentEvent(row: EventRow): Event {
  return {
    id: toApiId("event", row.id),
    object: "event",
    type: row.type,
    created_at: formatTimestamp(row.created_at),
    data: JSON.parse(row.data) as Record<string, unknown>,
  };
}
