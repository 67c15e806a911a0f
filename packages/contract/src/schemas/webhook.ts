import { type Static, Type } from "typebox";
import { KEY_MODES, type Mode, WEBHOOK_ERRORS } from "../enums.ts";
import { EVENT_TYPES, type EventType } from "../events.ts";
import { EventMode, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import {
  WEBHOOK_DESCRIPTION_CHARS_MAX,
  WEBHOOK_EVENTS_ITEMS_MAX,
  WEBHOOK_RETRY_DELAYS_SECONDS,
} from "../limits.ts";
import { Event } from "./event.ts";

const WEBHOOK_ATTEMPTS_MAX = WEBHOOK_RETRY_DELAYS_SECONDS.length + 1;
export const ALL_EVENTS = "*";
const EVENT_FILTERS = [ALL_EVENTS, ...EVENT_TYPES] as const;
export type EventFilter = EventType | typeof ALL_EVENTS;

/**
 * Subscribed event types. One flat schema instead of a union, so that an unknown type is reported
 * as `events[3]`.
 */
export function EventFilterInput() {
  return Type.Unsafe<EventFilter[] | typeof ALL_EVENTS | null>({
    type: ["array", "string", "null"],
    items: StringEnum(EVENT_FILTERS),
    maxItems: WEBHOOK_EVENTS_ITEMS_MAX,
    pattern: "^\\*$",
    description: 'Event types, or "*" for all of them; so are [], null and leaving it out.',
  });
}

/** Subscribed modes. */
export function ModesInput() {
  return Type.Unsafe<Mode[] | null>({
    type: ["array", "null"],
    items: StringEnum(KEY_MODES),
    minItems: 1,
    maxItems: KEY_MODES.length,
    description: "Modes whose events are sent to it: test, live, or both, which is the default.",
  });
}

const endpointFields = {
  id: Id("webhook_endpoint"),
  object: Type.Literal("webhook_endpoint"),
  url: Type.String(),
  events: Type.Array(StringEnum(EVENT_FILTERS), {
    description: 'The event types sent to it; ["*"] is all of them.',
  }),
  modes: Type.Array(StringEnum(KEY_MODES), {
    description: "The modes whose events are sent to it.",
  }),
  active: Type.Boolean({ description: "false while the endpoint is paused: it gets no attempts." }),
  description: Nullable(Type.String({ maxLength: WEBHOOK_DESCRIPTION_CHARS_MAX })),
  created_at: Timestamp(),
};

export const WebhookEndpoint = Resource("WebhookEndpoint", endpointFields);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const WebhookEndpointWithSecret = Resource("WebhookEndpointWithSecret", {
  ...endpointFields,
  secret: Type.String({
    pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
    description: "Signing secret. Shown only here: keep it.",
  }),
});
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;

export const WebhookDelivery = Resource(
  "WebhookDelivery",
  {
    id: Id("webhook_delivery"),
    object: Type.Literal("webhook_delivery"),
    endpoint_id: Id("webhook_endpoint"),
    event_id: Id("event"),
    event_type: StringEnum(EVENT_TYPES),
    mode: EventMode("the event"),
    attempt: Type.Integer({ minimum: 1, maximum: WEBHOOK_ATTEMPTS_MAX }),
    ok: Type.Boolean({ description: "The endpoint answered 2xx within 5 seconds." }),
    status_code: Nullable(Type.Integer(), { description: "null when it did not answer." }),
    error: Nullable(StringEnum(WEBHOOK_ERRORS), {
      description: "Reason why there was no response; null when there was one.",
    }),
    explanation: Nullable(Type.String(), {
      description: "The reason in a sentence, with the next step; null when there was a response.",
    }),
    latency_ms: Type.Integer({ description: "Time until status and headers arrived." }),
    response_body: Nullable(Type.String(), {
      description: "The first 2 KB of the reply; null when there was none.",
    }),
    replay: Type.Boolean({ description: "true when a replay made this attempt." }),
    created_at: Timestamp(),
  },
  { description: "One attempt to deliver one event to one endpoint." },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** Columns of the CSV export: the fields of an entry, in order. */
export const WEBHOOK_DELIVERY_COLUMNS = Object.keys(
  WebhookDelivery.properties,
) as (keyof WebhookDelivery)[];

export const UndeliveredEvent = Resource(
  "UndeliveredEvent",
  {
    object: Type.Literal("undelivered_event"),
    event: Event,
    endpoint_id: Id("webhook_endpoint"),
    attempts: Type.Integer(),
    last_status_code: Nullable(Type.Integer()),
    last_attempt_at: Timestamp(),
  },
  { description: "An event whose six attempts to an endpoint all failed." },
);
export type UndeliveredEvent = Static<typeof UndeliveredEvent>;

export const WebhookReplayRun = Resource(
  "WebhookReplayRun",
  {
    object: Type.Literal("webhook_replay_run"),
    endpoint_id: Id("webhook_endpoint"),
    replayed: Type.Integer({ description: "Events that were sent again." }),
    delivered: Type.Integer({ description: "Events that the endpoint accepted." }),
    failed: Type.Integer(),
    has_more: Type.Boolean({ description: "There are more such events than one run takes." }),
  },
  { description: "Result of a replay of all failed events." },
);
export type WebhookReplayRun = Static<typeof WebhookReplayRun>;
