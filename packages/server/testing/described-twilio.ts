import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "../src/core/platform/assert.ts";

/**
 * Mock of Twilio made from its OpenAPI description: every field of a response is generated from its schema,
 * and tests fill in what they need. The description is not ours to ship; a setting names its folder.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minLength?: number;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface DescribedList {
  /** Names of allowed query parameters. */
  readonly query: ReadonlySet<string>;
  /** A list response with the given items. */
  answer(field: string, items: readonly object[], paging: object): object;
  /** Differences between a response and its schema. */
  complaints(answer: unknown): string[];
}

const FILES = ["twilio_api_v2010.json", "twilio_messaging_v1.json"];
/** Seed of generated values: nulls vary within a run, and runs are equal. */
const SEED = 20_241_116;

export function readDescription(folder: string) {
  const descriptions = FILES.map(
    (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Description,
  );
  return {
    /** A list operation, such as `/v1/Services/{ServiceSid}/PhoneNumbers`. */
    list(path: string): DescribedList {
      const found = descriptions.find((one) => one.paths[path]?.get !== undefined);
      const description = expect(found, `${path} is not described`);
      const operation = expect(description.paths[path]?.get, `${path} is not described`);
      const content = operation.responses["200"]?.content?.["application/json"];
      const schema = expect(content, `${path} has no answer`).schema;
      const parameters = operation.parameters ?? [];
      return {
        query: new Set(parameters.flatMap((one) => (one.in === "query" ? [one.name] : []))),
        answer(field, items, paging) {
          const whole = made(description, schema, 0) as Record<string, unknown>;
          const item = resolved(description, schema).properties?.[field]?.items;
          const filled = items.map((given, index) => ({
            ...(made(description, expect(item, `${field} is no list`), index + 1) as object),
            ...given,
          }));
          const meta = whole["meta"];
          return typeof meta === "object" && meta !== null
            ? { ...whole, [field]: filled, meta: { ...meta, ...paging } }
            : { ...whole, [field]: filled, ...paging };
        },
        complaints: (answer) => complaintsOf(description, schema, answer, "answer"),
      };
    },
  };
}

function resolved(description: Description, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace("#/components/schemas/", "");
  return resolved(description, expect(description.components.schemas[name], `no schema ${name}`));
}

/** A value that fits a schema; `index` varies it from item to item. */
function made(description: Description, given: Schema, index: number): unknown {
  const schema = resolved(description, given);
  if (schema.nullable === true && index % 3 === 2) return null;
  if (schema.enum) return schema.enum[index % schema.enum.length];
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, one]) => [
          name,
          made(description, one, index),
        ]),
      );
    case "array":
      return schema.items ? [made(description, schema.items, index)] : [];
    case "integer":
    case "number":
      return index;
    case "boolean":
      return index % 2 === 0;
    default:
      return textOf(schema, index);
  }
}

function textOf({ pattern, format }: Schema, index: number): string {
  if (pattern !== undefined) {
    const sample = fc.sample(fc.stringMatching(new RegExp(pattern)), {
      seed: SEED + index,
      numRuns: 1,
    });
    return expect(sample[0], `nothing matches ${pattern}`);
  }
  if (format === "uri") return `https://described.example.com/${index}`;
  if (format === "date-time") return new Date(index * 1_000).toISOString();
  if (format === "date-time-rfc-2822") return new Date(index * 1_000).toUTCString();
  if (format === "phone-number") return `+1206556${String(index).padStart(4, "0")}`;
  return `described ${index}`;
}

function complaintsOf(
  description: Description,
  given: Schema,
  value: unknown,
  at: string,
): string[] {
  const schema = resolved(description, given);
  if (value === null) return schema.nullable === true ? [] : [`${at} is null`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is ${JSON.stringify(value)}`];
  if (schema.type === "array") {
    if (!Array.isArray(value)) return [`${at} is no list`];
    const { items } = schema;
    return items
      ? value.flatMap((one, index) => complaintsOf(description, items, one, `${at}[${index}]`))
      : [];
  }
  if (schema.type === "object" && schema.properties) {
    if (typeof value !== "object") return [`${at} is no object`];
    const { properties } = schema;
    return Object.entries(value).flatMap(([name, one]) => {
      const field = properties[name];
      return field
        ? complaintsOf(description, field, one, `${at}.${name}`)
        : [`${at}.${name} is not described`];
    });
  }
  const expectedType = schema.type === "integer" ? "number" : schema.type;
  if (expectedType === undefined || expectedType === "object") return [];
  if (typeof value !== expectedType) return [`${at} is a ${typeof value}`];
  const isOdd = schema.pattern !== undefined && !new RegExp(schema.pattern).test(String(value));
  return isOdd ? [`${at} is ${String(value)}`] : [];
}
