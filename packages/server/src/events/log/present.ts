import type { Event, EventType } from "@longwave/contract";
import { shape } from "../platform/row-writer.ts";

/** An event as it is read: its data is the text that was stored. */
export interface EventRow {
  readonly id: string;
  readonly seq: number;
  readonly type: EventType;
  readonly created_at: number;
  readonly data: string;
}

const EVENT = shape<EventRow, Event>((field) => ({
  id: field.id("event", "id"),
  object: field.constant("event"),
  type: field.plain("type"),
  created_at: field.moment("created_at"),
  data: field.stored("data"),
}));

export const presentEvent = EVENT.show;

/**
 * The body of a webhook: the text of the event, byte for byte as the lists show it. The data is
 * put in as it was stored, so that no attempt depends on how it is parsed and written again.
 */
export const eventText = EVENT.write;
