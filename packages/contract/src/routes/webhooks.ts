import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import {
  IdInput,
  Input,
  ListQuery,
  Nullable,
  Page,
  SingleLine,
  TimestampQuery,
} from "../fields.ts";
import {
  REPLAY_ALL_HOURS_MAX,
  REPLAY_ALL_HOURS_MIN,
  WEBHOOK_DESCRIPTION_CHARS_MAX,
  WEBHOOK_URL_CHARS_MAX,
} from "../limits.ts";
import {
  EventFilterInput,
  ModesInput,
  UndeliveredEvent,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookReplayRun,
} from "../schemas/webhook.ts";

const TAG = "Webhooks";
const EXAMPLE_ENDPOINT = { id: "we_01jd0000000000000000000000" };
const endpointParams = Input({ id: Type.String() });
const Url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_CHARS_MAX,
  description: "https, on a host that anyone can reach, at port 443 or above 1023.",
});
const Description = SingleLine({ maxLength: WEBHOOK_DESCRIPTION_CHARS_MAX });

export const webhookRoutes = defineRoutes({
  "webhooks.create": {
    method: "POST",
    path: "/v1/webhooks",
    scope: "webhooks:write",
    tag: TAG,
    summary: "Create a webhook endpoint",
    description:
      "At most 5 per account. The answer holds the signing secret, which is shown only here (and again to a replay of the same Idempotency-Key).",
    secretAnswer: true,
    body: Input({
      url: Url,
      events: Type.Optional(EventFilterInput()),
      modes: Type.Optional(ModesInput()),
      description: Type.Optional(Description),
    }),
    answers: { 201: WebhookEndpointWithSecret },
    errors: ["limit_reached"],
    example: {
      body: {
        url: "https://example.com/hooks/longwave",
        events: ["message.delivered", "message.failed"],
        description: "Order updates",
      },
      status: 201,
    },
  },
  "webhooks.list": {
    method: "GET",
    path: "/v1/webhooks",
    scope: "webhooks",
    tag: TAG,
    summary: "List webhook endpoints, newest first",
    description: "Without their secrets, which are shown only when they are made.",
    query: ListQuery({}),
    answers: { 200: Page(WebhookEndpoint) },
    errors: [],
    example: { status: 200 },
  },
  "webhooks.deliveries": {
    method: "GET",
    path: "/v1/webhooks/deliveries",
    scope: "webhooks",
    tag: TAG,
    summary: "List delivery attempts, newest first",
    description: "Every attempt of the last 30 days: first tries, retries, tests and replays.",
    query: ListQuery({
      endpoint_id: Type.Optional(IdInput({ description: "Attempts at one endpoint." })),
      event_id: Type.Optional(IdInput({ description: "All attempts of one event." })),
      ok: Type.Optional(
        Type.Boolean({ description: "Only successful attempts, or only failed ones." }),
      ),
      created_after: Type.Optional(
        TimestampQuery({ description: "Inclusive. ISO 8601 with a zone, or epoch milliseconds." }),
      ),
      created_before: Type.Optional(
        TimestampQuery({ description: "Exclusive. ISO 8601 with a zone, or epoch milliseconds." }),
      ),
    }),
    answers: { 200: Page(WebhookDelivery) },
    errors: [],
    example: { query: { limit: 10 }, status: 200 },
  },
  "webhooks.undelivered": {
    method: "GET",
    path: "/v1/webhooks/undelivered",
    scope: "webhooks",
    tag: TAG,
    summary: "List undelivered events, newest first",
    description:
      "Events whose six attempts to an endpoint all failed. They are kept for 30 days; a successful replay removes one.",
    query: ListQuery({
      endpoint_id: Type.Optional(IdInput({ description: "Only events of this endpoint." })),
    }),
    answers: { 200: Page(UndeliveredEvent) },
    errors: [],
    example: { status: 200 },
  },
  "webhooks.get": {
    method: "GET",
    path: "/v1/webhooks/{id}",
    scope: "webhooks:write",
    tag: TAG,
    summary: "Read a webhook endpoint",
    description: "Without its secret, which is shown only when it is made.",
    params: endpointParams,
    answers: { 200: WebhookEndpoint },
    errors: ["not_found"],
    example: { params: EXAMPLE_ENDPOINT, status: 200 },
  },
  "webhooks.update": {
    method: "PATCH",
    path: "/v1/webhooks/{id}",
    scope: "webhooks:write",
    tag: TAG,
    summary: "Change, pause or resume a webhook endpoint",
    description:
      "Absent fields stay unchanged; null clears the description and sets events to all. A paused endpoint gets no attempts: its events during the pause are not queued, and pending retries wait until it is active again.",
    params: endpointParams,
    nullClears: true,
    body: Input({
      url: Type.Optional(Url),
      events: Type.Optional(EventFilterInput()),
      modes: Type.Optional(ModesInput()),
      description: Type.Optional(Nullable(Description)),
      active: Type.Optional(Type.Boolean({ description: "false pauses." })),
    }),
    answers: { 200: WebhookEndpoint },
    errors: ["not_found"],
    example: { params: EXAMPLE_ENDPOINT, body: { active: false }, status: 200 },
  },
  "webhooks.delete": {
    method: "DELETE",
    path: "/v1/webhooks/{id}",
    scope: "webhooks:write",
    tag: TAG,
    summary: "Delete a webhook endpoint",
    description:
      "Its pending retries and undelivered events go with it; its delivery log stays for its 30 days.",
    params: endpointParams,
    answers: { 200: WebhookEndpoint },
    errors: ["not_found"],
    example: { params: EXAMPLE_ENDPOINT, status: 200 },
  },
  "webhooks.test": {
    method: "POST",
    path: "/v1/webhooks/{id}/test",
    scope: "webhooks:write",
    tag: TAG,
    summary: "Send a test.ping to one endpoint",
    description:
      "Makes an event of type test.ping and sends it to this endpoint alone, at once and without retries, also when it is paused. The answer is the entry in the delivery log. An account makes at most 10 replays and tests a minute.",
    params: endpointParams,
    answers: { 200: WebhookDelivery },
    errors: ["not_found"],
    example: { params: EXAMPLE_ENDPOINT, status: 200 },
  },
  "webhooks.rotateSecret": {
    method: "POST",
    path: "/v1/webhooks/{id}/rotate_secret",
    scope: "full_access",
    tag: TAG,
    summary: "Replace an endpoint's signing secret",
    description:
      "The old secret is invalid at once, without overlap; retries of earlier failures are signed with the new one.",
    params: endpointParams,
    secretAnswer: true,
    answers: { 200: WebhookEndpointWithSecret },
    errors: ["not_found"],
    example: { params: EXAMPLE_ENDPOINT, status: 200 },
  },
  "webhooks.replayFailed": {
    method: "POST",
    path: "/v1/webhooks/{id}/replay_failed",
    scope: "webhooks:write",
    tag: TAG,
    summary: "Replay every event that an endpoint has not taken",
    description:
      "Sends each event whose deliveries to this endpoint all failed in the last hours once more, oldest first, up to 50 per run. Events that can no longer be replayed individually are skipped. The entries in the delivery log are marked `replay`. A run counts as one of the 10 replays and tests that an account may make a minute.",
    params: endpointParams,
    bodyOptional: true,
    body: Input({
      hours: Type.Optional(
        Type.Integer({
          minimum: REPLAY_ALL_HOURS_MIN,
          maximum: REPLAY_ALL_HOURS_MAX,
          description: `How far back. Default ${REPLAY_ALL_HOURS_MIN}.`,
        }),
      ),
    }),
    answers: { 200: WebhookReplayRun },
    errors: ["not_found"],
    example: { params: EXAMPLE_ENDPOINT, body: { hours: 48 }, status: 200 },
  },
});
