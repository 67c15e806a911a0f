import { E164_PATTERN } from "../fields.ts";
import type { Json, JsonObject, Schema } from "./json.ts";

/**
 * Plausible value for a schema: the request's value for a field of the same name, else one by field
 * name, else one by type.
 */
export function sampleOf(schema: Schema, given: JsonObject = {}): Json {
  return valueFor(schema, "", given);
}

const SAMPLE_ID = "01jcxk5h3vf8ptrx9n2m7wq4bd";
const SAMPLE_MOMENT = "2026-11-15T09:30:00.000Z";

/** Lists that are empty in a healthy object; other lists show one item. */
const EMPTY = new Set(["blocked_by", "ucs2_characters"]);

/** Fields that are null in a healthy new object. */
const ABSENT = new Set([
  "batch_id",
  "canceled_at",
  "carrier_code",
  "customer_id",
  "deleted_at",
  "delivered_at",
  "error",
  "failed_at",
  "failure",
  "media",
  "next_attempt_at",
  "next_cursor",
  "param",
  "pool_id",
  "rejection",
  "released_at",
  "revoked_at",
  "scheduled_message_id",
  "valid_for",
]);

// biome-ignore format: one field per line, read as a table
const BY_NAME: Readonly<Record<string, Json>> = {
  amount_usd: 20,
  app_name: "Acme",
  area_code: "415",
  attempts: 1,
  auto_reply: false,
  balance_usd: 20,
  body: "Your table is ready.",
  business_name: "Acme Dental",
  carrier: "sandbox",
  code: "123456",
  company: "Acme Dental",
  country: "US",
  daily_message_quota: 2_000,
  description: "Order updates",
  email: "ada@example.com",
  end: "08:00",
  external_id: "crm-1042",
  from: "+15005550100",
  has_more: false,
  key: "svc_sk_test_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEY021Qx7Z",
  keyword: "STOP",
  label: "Front desk",
  last4: "Qx7Z",
  latency_ms: 312,
  locality: "San Francisco",
  monthly_price: 0.95,
  name: "Acme Dental",
  national_format: "(415) 555-0123",
  note: "Invoice 17",
  phone: "+15005550000",
  phone_number: "+14155550123",
  price: 0.009,
  recorded_by: `key_${SAMPLE_ID}`,
  created_by: `key_${SAMPLE_ID}`,
  region: "CA",
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  segments: 1,
  smart_encoded: false,
  start: "21:00",
  status: "sent",
  status_code: 200,
  texts_left: 100,
  to: "+15005550000",
  url: "https://example.com/hooks/longwave",
  verifications_left: 10,
  website: "https://example.com",
};

function valueFor(schema: Schema, name: string, given: JsonObject): Json {
  const stated = schema.examples?.[0] ?? schema.const ?? schema.default;
  if (stated !== undefined) return stated;
  const echoed = given[name];
  if (echoed !== undefined && fits(schema, echoed)) return echoed;
  if (EMPTY.has(name)) return [];
  if (ABSENT.has(name) && takesNull(schema)) return null;
  const named = BY_NAME[name];
  if (named !== undefined && fits(schema, named)) return named;
  return schema.enum?.find((value) => value !== null) ?? byShape(schema, name, given);
}

function byShape(schema: Schema, name: string, given: JsonObject): Json {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const choice = choices.find((one) => one.type !== "null") ?? choices[0];
    return choice ? valueFor(choice, name, given) : null;
  }
  switch (mainType(schema)) {
    case "object":
      return objectOf(schema, name, given);
    case "array":
      return schema.items ? [valueFor(schema.items, singular(name), given)] : [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "string":
      return textOf(schema, name);
    default:
      return null;
  }
}

function objectOf(schema: Schema, name: string, given: JsonObject): JsonObject {
  // Only the outermost object echoes the request.
  const inner = name === "" || name === "data" ? given : {};
  const known = Object.entries(schema.properties ?? {}).map(([key, property]) => [
    key,
    valueFor(property, key, inner),
  ]);
  if (known.length === 0 && typeof schema.additionalProperties === "object") {
    return { first_name: valueFor(schema.additionalProperties, "first_name", {}) };
  }
  return Object.fromEntries(known) as JsonObject;
}

function textOf(schema: Schema, name: string): string {
  const prefix = /^\^([a-z]+_)\[0-7\]/.exec(schema.pattern ?? "")?.[1];
  if (prefix !== undefined) return prefix + SAMPLE_ID;
  if (schema.format === "date-time") return SAMPLE_MOMENT;
  if (schema.format === "date") return SAMPLE_MOMENT.slice(0, "2026-11-15".length);
  if (schema.format === "uri") return "https://example.com";
  if (schema.format === "email") return "ada@example.com";
  if (schema.pattern === E164_PATTERN) return "+14155550123";
  const words = name.replaceAll("_", " ").trim();
  return words === "" ? "text" : words.charAt(0).toUpperCase() + words.slice(1);
}

function mainType(schema: Schema): string | undefined {
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== "null");
  return schema.type ?? (schema.properties ? "object" : undefined);
}

function takesNull(schema: Schema): boolean {
  if (Array.isArray(schema.type)) return schema.type.includes("null");
  return schema.type === "null" || (schema.anyOf ?? []).some(takesNull);
}

/** True when a value has the schema's type, enum and pattern, so that the sample may reuse it. */
function fits(schema: Schema, value: Json): boolean {
  if (schema.anyOf || schema.oneOf) {
    return (schema.anyOf ?? schema.oneOf ?? []).some((choice) => fits(choice, value));
  }
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (schema.const !== undefined && schema.const !== value) return false;
  const type = mainType(schema);
  if (value === null) return takesNull(schema);
  if (typeof value === "string") {
    return (
      type === "string" &&
      schema.format === undefined &&
      (schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value))
    );
  }
  if (typeof value === "number") {
    return type === "number" || (type === "integer" && Number.isInteger(value));
  }
  if (typeof value === "boolean") return type === "boolean";
  return false;
}

function singular(name: string): string {
  return name.endsWith("s") ? name.slice(0, -1) : name;
}
