import type { Event, EventType, Mode } from "@longwave/contract";
import { shape } from "../../core/platform/row-writer.ts";

/** An event as read: its data is the stored JSON string. */
export interface EventRow {
  readonly id: string;
  readonly seq: number;
  readonly type: EventType;
  readonly mode: Mode;
  readonly created_at: number;
  readonly data: string;
}

const EVENT = shape<EventRow, Event>((field) => ({
  id: field.id("event", "id"),
  object: field.constant("event"),
  type: field.plain("type"),
  mode: field.plain("mode"),
  created_at: field.moment("created_at"),
  data: field.stored("data"),
}));

export const presentEvent = EVENT.show;

/**
 * Body of a webhook: the JSON of the event, byte for byte as the lists show it. The data is inserted as stored, so that
 * no attempt depends on parsing and serialising it again.
 */
export const eventJson = EVENT.write;
