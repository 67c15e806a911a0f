import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_CHARS_MAX } from "../limits.ts";
import type { JsonObject } from "./json.ts";

/** Response headers. */
export const HEADERS = {
  "X-Request-Id": {
    description:
      "Created by the server for every request; quote it in questions about the request.",
    schema: { type: "string", pattern: "^req_" },
    example: "req_01jcxk5h3vf8ptrx9n2m7wq4bd",
  },
  RateLimit: {
    description:
      "Remaining quota: `r` requests, full again in `t` seconds. Absent when no limit applies.",
    schema: { type: "string" },
    example: '"default";r=199;t=1',
  },
  "RateLimit-Policy": {
    description: "The limit: `q` requests in `w` seconds. Absent when no limit applies.",
    schema: { type: "string" },
    example: '"default";q=200;w=2',
  },
  "Retry-After": {
    description: "Seconds to wait before a retry.",
    schema: { type: "integer", minimum: 0 },
    example: 1,
  },
  "Idempotent-Replayed": {
    description: "`true` for the stored response of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  Link: {
    description:
      'With `rel="help"`: the page that explains the error. Absolute where the server knows its own address.',
    schema: { type: "string" },
    example: '<https://sms.example.com/docs/errors/not_found>; rel="help"',
  },
  "WWW-Authenticate": {
    description: "The authentication scheme.",
    schema: { type: "string" },
    example: "Bearer",
  },
  Allow: {
    description: "Methods of this path.",
    schema: { type: "string" },
    example: "GET, POST",
  },
  "X-Svc-Sender-State": {
    description: "The registration state of the sending number, with `sender_not_registered`.",
    schema: { type: "string", enum: ["test_only", "pending", "action_needed"] },
    example: "test_only",
  },
} as const satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof HEADERS;

export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Request header of every POST. */
export const IDEMPOTENCY_KEY: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `Makes a retry safe: the same key and body within ${IDEMPOTENCY_HOURS} hours replays the first successful response instead of repeating the work. Failed requests release the key.`,
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX },
  example: "order-1042-confirmation",
};
