import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { EVENT_TYPES } from "../events.ts";
import {
  IdInput,
  Input,
  ListQuery,
  Page,
  PhoneInput,
  StringEnum,
  TimestampQuery,
} from "../fields.ts";
import { LONG_POLL_SECONDS_DEFAULT, LONG_POLL_SECONDS_MAX } from "../limits.ts";
import { Event, EventWait } from "../schemas/event.ts";
import { WebhookDelivery } from "../schemas/webhook.ts";

const EXAMPLE_EVENT = { id: "evt_01jd0000000000000000000000" };
const EXAMPLE_ENDPOINT = "we_01jd0000000000000000000000";

export const eventRoutes = defineRoutes({
  "events.list": {
    method: "GET",
    path: "/v1/events",
    scope: "webhooks",
    tag: "Events",
    summary: "List events, newest first",
    description: "The log of everything that happened in the last 30 days.",
    query: ListQuery({
      type: Type.Optional(StringEnum(EVENT_TYPES)),
      phone: Type.Optional(PhoneInput({ description: "Only events that name this number." })),
      created_after: Type.Optional(
        TimestampQuery({ description: "Inclusive. ISO 8601 with a zone, or epoch milliseconds." }),
      ),
      created_before: Type.Optional(
        TimestampQuery({ description: "Exclusive. ISO 8601 with a zone, or epoch milliseconds." }),
      ),
    }),
    answers: { 200: Page(Event) },
    errors: [],
    example: { query: { type: "message.delivered", limit: 10 }, status: 200 },
  },
  "events.wait": {
    method: "GET",
    path: "/v1/events/wait",
    scope: "webhooks",
    tag: "Events",
    summary: "Wait for the next events",
    description:
      "Without a cursor the call returns at once, with a cursor that means now. With a cursor the call waits for an event or the timeout, and returns new events oldest first with the next cursor. No event is skipped; one may repeat, so deduplicate by id. A waiting call ends with 401 or 403 within a second of its key's revocation or its account's suspension.",
    query: Input({
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1024, description: "cursor of the answer before." }),
      ),
      timeout: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LONG_POLL_SECONDS_MAX,
          description: `Seconds to wait at most. Default ${LONG_POLL_SECONDS_DEFAULT}.`,
        }),
      ),
    }),
    answers: { 200: EventWait },
    errors: [],
    example: { query: { timeout: 0 }, status: 200 },
  },
  "events.get": {
    method: "GET",
    path: "/v1/events/{id}",
    scope: "webhooks",
    tag: "Events",
    summary: "Read an event",
    description: "404 once it is older than 30 days.",
    params: Input({ id: Type.String() }),
    answers: { 200: Event },
    errors: ["not_found"],
    example: { params: EXAMPLE_EVENT, status: 200 },
  },
  "events.replay": {
    method: "POST",
    path: "/v1/events/{id}/replay",
    scope: "webhooks",
    tag: "Events",
    summary: "Send an event to one endpoint once more",
    description:
      "Sent at once and not retried, even when the endpoint is paused or not subscribed to the type. The response is the entry in the delivery log: a failed replay is a 200 with `ok` false. A successful replay cancels pending retries and removes the event from the undelivered ones. An account may make 10 replays and tests a minute.",
    params: Input({ id: Type.String() }),
    body: Input({
      endpoint_id: IdInput({
        description:
          "The receiver that gets the stored event again, even if paused or not subscribed.",
      }),
    }),
    answers: { 200: WebhookDelivery },
    errors: ["not_found"],
    example: { params: EXAMPLE_EVENT, body: { endpoint_id: EXAMPLE_ENDPOINT }, status: 200 },
  },
});
