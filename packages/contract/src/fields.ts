import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { KEY_MODES } from "./enums.ts";
import { FAILURE_CODES } from "./failures.ts";
import { type IdKind, idPattern } from "./ids.ts";
import {
  PAGE_ITEMS_DEFAULT,
  PAGE_ITEMS_MAX,
  VALID_FOR_SECONDS_MAX,
  VALID_FOR_SECONDS_MIN,
} from "./limits.ts";

/** Enumerated string, in OpenAPI form: `type: string, enum: […]`. */
export function StringEnum<const Values extends readonly string[]>(
  values: Values,
  options: { description?: string } = {},
) {
  return Type.Unsafe<Values[number]>({ type: "string", enum: [...values], ...options });
}

/** A value or null. Simple types become `type: [x, "null"]`, which serialises fastest. */
export function Nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  const plain = schema as { type?: unknown; enum?: unknown[]; $id?: string };
  if (typeof plain.type !== "string" || plain.$id !== undefined || plain.type === "object") {
    return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: "null" }], ...options });
  }
  const values = plain.enum ? { enum: [...plain.enum, null] } : {};
  return Type.Unsafe<Static<S> | null>({
    ...plain,
    ...values,
    type: [plain.type, "null"],
    ...options,
  });
}

export function Id(kind: IdKind, options: { description?: string } = {}) {
  return Type.String({ pattern: idPattern(kind), ...options });
}

/**
 * Id in a request: any short string, so that an unknown id answers "not found", not "malformed".
 */
export function IdInput(options: { description?: string } = {}) {
  return Type.String({ minLength: 1, maxLength: 64, ...options });
}

export function Timestamp(options: { description?: string } = {}) {
  return Type.String({ format: "date-time", ...options });
}

/** Timestamp in a request: ISO 8601 with a zone, or epoch milliseconds. */
export function TimestampInput(options: { description?: string } = {}) {
  return Type.Unsafe<string | number>({
    anyOf: [{ type: "string", minLength: 1, maxLength: 40 }, { type: "integer" }],
    "x-component": "TimestampInput",
    description: "ISO 8601 with a zone, or epoch milliseconds.",
    ...options,
  });
}

/** Timestamp in a query string, where every value is a string. */
export function TimestampQuery(options: { description?: string } = {}) {
  return Type.String({
    minLength: 1,
    maxLength: 40,
    description: "ISO 8601 with a zone, or epoch milliseconds.",
    ...options,
  });
}

/** Mode of an object: sandbox or real. */
export function ModeOf(what: string) {
  return StringEnum(KEY_MODES, {
    description: `Mode of the key that made ${what}: \`test\` simulates, \`live\` delivers.`,
  });
}

/** Mode of what an event, or an attempt to deliver it, concerns. */
export function EventMode(what: string) {
  return StringEnum(KEY_MODES, {
    description: `Mode of the key, number or phone that caused ${what}: \`test\` or \`live\`.`,
  });
}

/** Mode as a filter of lists. */
export const ModeFilter = StringEnum(KEY_MODES, {
  description:
    "The key sees objects of its own mode only; a filter for the other mode answers an empty list.",
});

export const PHONE_INPUT_WORDS =
  "A US or Canada number: E.164, 10 digits, or common US formatting.";

export function PhoneInput(options: { description?: string } = {}) {
  return Type.String({ minLength: 1, maxLength: 40, description: PHONE_INPUT_WORDS, ...options });
}

/** US and Canada numbers; the document of an installation that texts other countries widens it. */
export const E164_PATTERN = "^\\+1\\d{10}$";

export function E164(options: { description?: string } = {}) {
  return Type.String({ pattern: E164_PATTERN, ...options });
}

/** Validity period of a message. */
export function ValidFor(options: { description: string }) {
  return Type.Integer({
    minimum: VALID_FOR_SECONDS_MIN,
    maximum: VALID_FOR_SECONDS_MAX,
    ...options,
  });
}

/** US dollars, at most six decimals. */
export function Usd(options: { description?: string } = {}) {
  return Type.Number({ description: "US dollars, at most six decimals.", ...options });
}

/** One line: no control characters, no bidirectional overrides. */
export const SINGLE_LINE_PATTERN =
  "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]*$";

/** At least one visible character. */
export const NOT_BLANK_PATTERN = "\\S";

export function SingleLine(options: {
  minLength?: number;
  maxLength: number;
  description?: string;
}) {
  return Type.String({
    pattern: SINGLE_LINE_PATTERN,
    ...options,
  });
}

/** Response object: closed, named, one component of the OpenAPI document. */
export function Resource<P extends TProperties>(
  $id: string,
  properties: P,
  options: { description?: string } = {},
) {
  return Type.Object(properties, { $id, additionalProperties: false, ...options });
}

/** Request object: rejects unknown fields. */
export function Input<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** Stream of rows, of the runtime's own stream type. */
export const Csv = Type.Unsafe<AsyncIterable<unknown>>({ type: "string" });

export function Page<S extends TSchema>(item: S) {
  return Type.Object(
    {
      data: Type.Array(item, { description: "The items of this page, in the order of the list." }),
      has_more: Type.Boolean({ description: "Whether another page follows." }),
      next_cursor: Nullable(Type.String(), {
        description: "Cursor of the next page, for the same filters; null on the last page.",
      }),
    },
    { additionalProperties: false },
  );
}

/** Query of a list: own filters, `limit` and `cursor`. */
export function ListQuery<P extends TProperties>(
  filters: P,
  items: { max: number; default: number } = { max: PAGE_ITEMS_MAX, default: PAGE_ITEMS_DEFAULT },
) {
  return Input({
    ...filters,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: items.max,
        description: `Maximum number of items per page. Default ${items.default}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "next_cursor of the previous page, with the same filters.",
      }),
    ),
  });
}

/** Failure of a message, in the message and in `message.failed`. */
export const Failure = Resource(
  "Failure",
  {
    code: StringEnum(FAILURE_CODES),
    title: Type.String(),
    explanation: Type.String(),
    action: Type.String({ description: "Next step for the sender, in a sentence." }),
    carrier_code: Nullable(Type.String(), {
      description: "The carrier's own code, or null.",
    }),
  },
  { description: "Failure of a message, with its reason and the next step." },
);
export type Failure = Static<typeof Failure>;

/** Recipients of a batch by state; `total` is their sum. */
export const BatchCounts = Resource("BatchCounts", {
  total: Type.Integer(),
  queued: Type.Integer(),
  paused: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  canceled: Type.Integer(),
});
export type BatchCounts = Static<typeof BatchCounts>;
