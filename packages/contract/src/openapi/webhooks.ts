import { EVENT_TYPES, EVENTS, type EventType } from "../events.ts";
import { Event } from "../schemas/event.ts";
import type { Components } from "./components.ts";
import { camelCase, type JsonObject, pascalCase, plainSchema, type Schema } from "./json.ts";
import { sampleOf } from "./samples.ts";

const SIGNATURE =
  "t=1794735000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd";
const EVENT_ID = "evt_01jcxk5h3vf8ptrx9n2m7wq4bd";

const SIGNATURE_HEADERS: readonly JsonObject[] = [
  signatureHeader(
    "svc-signature",
    "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` keyed with the endpoint's secret.",
    SIGNATURE,
  ),
  signatureHeader("svc-event-id", "The event's id, the same on every retry.", EVENT_ID),
  ...["x-svc", "x-webhook"].flatMap((prefix) => [
    signatureHeader(
      `${prefix}-signature`,
      "The same value as `svc-signature`, under its older name, kept permanently.",
      SIGNATURE,
    ),
    signatureHeader(
      `${prefix}-event-id`,
      "The same value as `svc-event-id`, under its older name, kept permanently.",
      EVENT_ID,
    ),
  ]),
  signatureHeader("webhook-id", "The event's id, in the Standard Webhooks header.", EVENT_ID),
  signatureHeader(
    "webhook-timestamp",
    "Unix seconds, in the Standard Webhooks header.",
    "1794735000",
  ),
  signatureHeader(
    "webhook-signature",
    "`v1,<base64>` of Standard Webhooks, keyed with the bytes that the secret encodes.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

function signatureHeader(name: string, description: string, example: string): JsonObject {
  return { name, in: "header", required: true, description, schema: { type: "string" }, example };
}

/** Event of one type: Event with its type fixed and its data spelled out. */
function eventSchema(type: EventType): Schema {
  const generic = plainSchema(Event);
  const { $id: _, description: __, ...rest } = generic;
  return {
    ...rest,
    description: EVENTS[type].when,
    properties: {
      ...generic.properties,
      type: { type: "string", const: type },
      data: plainSchema(EVENTS[type].data),
    },
  };
}

export function eventComponentName(type: EventType): string {
  return `${pascalCase(type)}Event`;
}

/** Makes `Event` the union of all types, so that readers and generators know each data schema. */
export function addEvents(components: Components): void {
  const mapping: Record<string, string> = {};
  const choices = EVENT_TYPES.map((type): Schema => {
    const schema = components.output(eventSchema(type));
    const ref = components.add(eventComponentName(type), schema);
    mapping[type] = ref.$ref ?? "";
    return ref;
  });
  components.replace("Event", {
    description: plainSchema(Event).description ?? "",
    oneOf: choices,
    discriminator: { propertyName: "type", mapping },
  });
}

/** Webhook requests that an endpoint receives: one entry per event type. */
export function webhooksOf(): JsonObject {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOf(type) }]));
}

function webhookOf(type: EventType): JsonObject {
  const { when, call } = EVENTS[type];
  return {
    operationId: `on${pascalCase(camelCase(type))}`,
    tags: ["Webhooks"],
    summary: type,
    description: call === null ? when : `${when}\n\nTriggered by \`${call}\`.`,
    security: [],
    parameters: [...SIGNATURE_HEADERS],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${eventComponentName(type)}` },
          examples: { example: { summary: type, value: sampleOf(eventSchema(type)) } },
        },
      },
    },
    responses: {
      "2XX": { description: "Answer with any 2xx within 5 seconds." },
      default: { description: "Anything else is retried: six attempts over about 15 hours." },
    },
  };
}
