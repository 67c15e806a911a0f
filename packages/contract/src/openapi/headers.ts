import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_CHARS_MAX } from "../limits.ts";
import type { JsonObject } from "./json.ts";

/** The headers that answers carry. */
export const HEADERS = {
  "X-Request-Id": {
    description: "Made by the server for every request; quote it when you ask about one.",
    schema: { type: "string", pattern: "^req_" },
    example: "req_01jcxk5h3vf8ptrx9n2m7wq4bd",
  },
  RateLimit: {
    description:
      "What is left: `r` requests, full again in `t` seconds. Absent when no limit holds.",
    schema: { type: "string" },
    example: '"default";r=199;t=1',
  },
  "RateLimit-Policy": {
    description: "The limit: `q` requests in `w` seconds. Absent when no limit holds.",
    schema: { type: "string" },
    example: '"default";q=200;w=2',
  },
  "Retry-After": {
    description: "Seconds to wait before trying again.",
    schema: { type: "integer", minimum: 0 },
    example: 1,
  },
  "Idempotent-Replayed": {
    description: "`true` when this is the stored answer of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "WWW-Authenticate": {
    description: "The way to authenticate.",
    schema: { type: "string" },
    example: "Bearer",
  },
  Allow: {
    description: "The methods that this path takes.",
    schema: { type: "string" },
    example: "GET, POST",
  },
  "X-Svc-Sender-State": {
    description: "The standing of the sending number, with `sender_not_registered`.",
    schema: { type: "string", enum: ["test_only", "pending", "action_needed"] },
    example: "test_only",
  },
} as const satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof HEADERS;

export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The request header that every POST takes. */
export const IDEMPOTENCY_KEY: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `Makes a retry safe: the same key and body within ${IDEMPOTENCY_HOURS} hours replays the first successful answer instead of doing the work again. Failed requests release the key.`,
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX },
  example: "order-1042-confirmation",
};
