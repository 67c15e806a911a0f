import { type Static, Type } from "typebox";
import { EVENT_TYPES, type EventType } from "../events.ts";
import { EventMode, Id, Resource, StringEnum, Timestamp } from "../fields.ts";

const EXAMPLE = {
  type: "message.sent",
  data: {
    message_id: "msg_01jcxk5h3vf8ptrx9n2m7wq4bd",
    from: "+15005550100",
    to: "+15005550000",
    status: "sent",
    segments: 1,
  },
};

/** Event, as in `GET /events` and in webhooks. */
export const Event = Resource(
  "Event",
  {
    id: Id("event"),
    object: Type.Literal("event"),
    type: Type.Unsafe<EventType>({ ...StringEnum(EVENT_TYPES), examples: [EXAMPLE.type] }),
    mode: EventMode("the event"),
    created_at: Timestamp(),
    data: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      examples: [EXAMPLE.data],
      description: "Its shape goes with the type; see the webhooks of this document.",
    }),
  },
  { description: "Something that happened. Webhook bodies are exactly this object." },
);
export type Event = Static<typeof Event>;

/** Columns of exported events; `data` is JSON. */
export const EVENT_CSV_COLUMNS = [
  "id",
  "type",
  "mode",
  "created_at",
  "data",
] as const satisfies readonly (keyof Event)[];

/** Response of the long poll: new events, oldest first. */
export const EventWait = Resource("EventWait", {
  object: Type.Literal("event_wait"),
  data: Type.Array(Event),
  cursor: Type.String({ description: "Give it to the next call." }),
  has_more: Type.Boolean(),
});
export type EventWait = Static<typeof EventWait>;
