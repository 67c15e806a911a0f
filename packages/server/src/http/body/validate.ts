import {
  counted,
  PATTERN_FORMS,
  Problem,
  type RouteSpec,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { yieldToEventLoop } from "../../core/platform/clock.ts";
import { shownName } from "../../core/platform/outside-text.ts";
import type { ListParts } from "./json-scanner.ts";

/** A test validates the schemas, so that processes need not at every start. */
const ajv = new Ajv({
  meta: false,
  validateSchema: false,
  allErrors: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  verbose: true,
});
(addFormats as unknown as (ajv: Ajv) => void)(ajv);

/** A compiled schema that throws `invalid_request` and names the field at fault. */
export type Validate = (value: unknown, firstItem?: number) => void;

/** Position of a value: the query has parameters, the body has fields. */
export type SchemaPosition = "query" | "body";

export interface AnySchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
  readonly items?: AnySchema;
  readonly anyOf?: readonly AnySchema[];
  readonly additionalProperties?: unknown;
  readonly description?: string;
  /** null is a value of the field. */
  readonly "x-null"?: "kept";
  readonly "x-component"?: string;
  /** In a plain schema: accepts null, too. */
  readonly nullable?: boolean;
}

/** Keyed by schema: the console's routes share the schemas of the API's. */
const checks = new WeakMap<object, ValidateFunction>();

/** Compiled on first use: compiling all schemas at once would double the startup time. */
export function compileSchema(schema: object, position: SchemaPosition = "body"): Validate {
  let known: ValidateFunction | null = null;
  return (value, firstItem = 0) => {
    const check = known ?? checkOf(schema);
    known = check;
    if (check(value)) return;
    throw problemOf(check.errors ?? [], firstItem, position);
  };
}

/** Compiles a schema ahead of its first use. */
export function prepareSchema(schema: object): void {
  checkOf(schema);
}

function checkOf(schema: object): ValidateFunction {
  const known = checks.get(schema);
  if (known) return known;
  const check = ajv.compile(plainSchema(schema));
  checks.set(schema, check);
  return check;
}

/**
 * A schema in the form that validators and serialisers compile. Drops `$id`, because duplicates are refused. Writes
 * "object or null" without `anyOf`: errors then name the field inside the object, and serialising needs no validation
 * first.
 */
export function plainSchema(schema: object): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value) => (key === "$id" ? undefined : value));
  return JSON.parse(text, (_, value) => {
    const [object, none, ...others] = Array.isArray(value?.anyOf) ? value.anyOf : [];
    const isNullable = object?.type === "object" && none?.type === "null" && others.length === 0;
    return isNullable ? { ...object, nullable: true } : value;
  });
}

function problemOf(
  errors: readonly ErrorObject[],
  firstItem: number,
  position: SchemaPosition,
): Problem {
  const error = blamed(errors);
  if (!error) return new Problem("invalid_request", "The request is not valid.");
  const param = shownName(paramOf(error, firstItem));
  const name = error.propertyName === undefined ? param : `A key of ${param}`;
  const message = messageOf(error, name || `The ${position}`, position);
  return new Problem("invalid_request", message, param === "" ? {} : { param });
}

/**
 * The error to report for a value that matches none of several alternatives: of the alternative that it resembles, or
 * that of the choice.
 */
function blamed(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const isKind = ({ keyword }: ErrorObject) => keyword === "type" || keyword === "anyOf";
  const choice = errors.find(({ keyword }) => keyword === "anyOf");
  return errors.find((error) => choice && !isKind(error)) ?? choice ?? errors[0];
}

/** `/recipients/3/to` becomes `recipients[3].to`; items of a part count from its `firstItem`. */
function paramOf(error: ErrorObject, firstItem: number): string {
  const steps = error.instancePath.split("/").slice(1).map(unescapePointer);
  if (firstItem > 0 && steps[1] !== undefined) steps[1] = String(Number(steps[1]) + firstItem);
  const params = error.params as Record<string, unknown>;
  if (error.keyword === "required") steps.push(String(params["missingProperty"]));
  if (error.keyword === "additionalProperties") steps.push(String(params["additionalProperty"]));
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    if (step === "") return `${path}""`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function messageOf(error: ErrorObject, name: string, position: SchemaPosition): string {
  const limit = (error.params as { limit?: number }).limit ?? 0;
  const schema = (error.parentSchema ?? {}) as AnySchema;
  switch (error.keyword) {
    case "required":
      return `${name} is required. Add it to the ${position}.`;
    case "additionalProperties":
      return unknownName(error, name, schema, position);
    case "type":
      return `${name} must be ${kindOf(error, schema)}.`;
    case "enum":
      return `${name} must be one of ${(error.schema as unknown[]).filter((v) => v !== null).join(", ")}.`;
    case "const":
      return `${name} must be ${JSON.stringify(error.schema)}.`;
    case "minLength":
      return limit === 1
        ? `${name} must not be empty.`
        : `${name} must have at least ${counted(limit, "character")}.`;
    case "maxLength":
      return `${name} must have at most ${counted(limit, "character")}.`;
    case "minItems":
      return limit === 1
        ? `${name} must not be empty.`
        : `${name} must have at least ${counted(limit, "item")}.`;
    case "maxItems":
      return limit === 0
        ? `${name} must be empty.`
        : `${name} must have at most ${counted(limit, "item")}.`;
    case "minimum":
      return `${name} must be at least ${limit}.`;
    case "maximum":
      return `${name} must be at most ${limit}.`;
    case "maxProperties":
      return `${name} must have at most ${counted(limit, "field")}.`;
    case "anyOf":
      return `${name} must be ${typesOf(schema)}.`;
    case "pattern":
      return wrongForm(name, String(error.schema), schema);
    case "format":
      return `${name} must be a valid ${(error.params as { format: string }).format}.`;
    case "uniqueItems":
      return `${name} must not list the same item twice.`;
    default:
      return `${name} is not valid.${hint(schema)}`;
  }
}

function wrongForm(name: string, pattern: string, schema: AnySchema): string {
  const form = PATTERN_FORMS[pattern];
  if (form !== undefined) return `${name} must be ${form}.`;
  return `${name} has characters or a form that is not allowed.${hint(schema)}`;
}

function kindOf({ params }: ErrorObject, { nullable = false }: AnySchema): string {
  const type = article(String((params as { type: unknown }).type));
  return nullable ? `${type} or null` : type;
}

/** Types of the alternatives of a value. */
function typesOf(schema: AnySchema): string {
  if (schema["x-component"] === "TimestampInput") return TIMESTAMP_FORM;
  return article((schema.anyOf ?? []).map(({ type }) => String(type)).join());
}

function hint(schema: AnySchema): string {
  return schema.description ? ` ${schema.description}` : "";
}

function article(type: string): string {
  const words = type.split(",").map((one) => {
    if (one === "integer") return "a whole number";
    if (one === "null") return "null";
    if (one === "boolean") return "true or false";
    return /^[aeiou]/.test(one) ? `an ${one}` : `a ${one}`;
  });
  return words.join(" or ");
}

function unknownName(
  error: ErrorObject,
  name: string,
  schema: AnySchema,
  position: SchemaPosition,
): string {
  const given = String((error.params as { additionalProperty: string }).additionalProperty);
  const near = Object.keys(schema.properties ?? {}).find((known) => isNear(known, given));
  const next = near ? `Perhaps ${near} is meant.` : "Leave it out.";
  return `${name} is not ${position === "query" ? "a parameter of this call" : "a field of this call"}. ${next}`;
}

/** Edit distance of one: a letter more, fewer or different, or two swapped. */
function isNear(known: string, given: string): boolean {
  if (given.length > 60 || Math.abs(known.length - given.length) > 1) return false;
  let start = 0;
  while (start < given.length && given[start] === known[start]) start += 1;
  const restKnown = known.slice(start);
  const restGiven = given.slice(start);
  return (
    restKnown.slice(1) === restGiven ||
    restKnown === restGiven.slice(1) ||
    restKnown.slice(1) === restGiven.slice(1) ||
    restKnown.slice(2) === restGiven.slice(2)
  );
}

/** Validates a body, in the parts of its long lists if it has any. */
export type ValidateBody = (
  value: unknown,
  parts: readonly ListParts[],
) => Promise<void> | undefined;

/**
 * Meaning of null in an optional field. `absent`: the same as leaving it out. `clears`: clears the field if the schema
 * takes null, else the same as leaving it out. `patches`: like `clears`, but a top-level field that cannot be cleared
 * refuses it.
 */
export type NullRule = "absent" | "clears" | "patches";

export function nullRuleOf({
  method,
  nullClears,
}: Pick<RouteSpec, "method" | "nullClears">): NullRule {
  if (!nullClears) return "absent";
  return method === "PATCH" ? "patches" : "clears";
}

export function compileBody(schema: object, nulls: NullRule): ValidateBody {
  const whole = compileSchema(schema);
  const inParts = new Map<string, PartsCheck>();
  return (value, parts) => {
    if (parts.length === 0) {
      dropNulls(schema as AnySchema, value, nulls);
      whole(value);
      return undefined;
    }
    // Lists that the schema does not know stay in the rest, which refuses them without compiling anything.
    const keys = parts
      .map((part) => part.key)
      .filter((key) => isList(schema, key))
      .sort();
    const name = keys.join();
    const check = inParts.get(name) ?? compileParts(schema, keys, nulls);
    inParts.set(name, check);
    return checkParts(check, value, parts);
  };
}

/** Whether the schema has a list of this name with a schema for its items. */
function isList(schema: AnySchema, key: string): boolean {
  const { properties = {} } = schema;
  const list = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return list?.type === "array" && list.items !== undefined;
}

interface PartsCheck {
  /** The body without the items of its long lists. */
  readonly rest: Validate;
  readonly dropRest: (value: unknown) => void;
  readonly items: ReadonlyMap<string, { check: Validate; drop(items: unknown[]): void }>;
}

function compileParts(schema: object, keys: readonly string[], nulls: NullRule): PartsCheck {
  const rest = plainSchema(schema) as { properties?: Record<string, Record<string, unknown>> };
  const items = new Map<string, { check: Validate; drop(items: unknown[]): void }>();
  for (const key of keys) {
    const list = rest.properties?.[key] ?? {};
    const item = list["items"] as AnySchema;
    const only = { type: "object", properties: { [key]: { type: "array", items: item } } };
    const drop = (values: unknown[]) => {
      for (const value of values) dropNulls(item, value, within(nulls));
    };
    items.set(key, { check: compileSchema(only), drop });
    delete list["items"];
  }
  const dropRest = (value: unknown) => dropNulls(rest as AnySchema, value, nulls);
  return { rest: compileSchema(rest), dropRest, items };
}

async function checkParts(
  { rest, dropRest, items }: PartsCheck,
  value: unknown,
  parts: readonly ListParts[],
): Promise<void> {
  dropRest(value);
  rest(value);
  for (const { key, ends } of parts) {
    const list = (value as Record<string, unknown[]>)[key] ?? [];
    let first = 0;
    for (const end of ends) {
      const part = list.slice(first, end);
      items.get(key)?.drop(part);
      items.get(key)?.check({ [key]: part }, first);
      first = end;
      await yieldToEventLoop();
    }
  }
}

/** Removes every null that equals leaving its field out. */
function dropNulls(schema: AnySchema, value: unknown, nulls: NullRule): void {
  if (typeof value !== "object" || value === null) return;
  for (const kind of schema.anyOf ?? []) dropNulls(kind, value, nulls);
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) dropNulls(schema.items, item, nulls);
  } else if (schema.properties) {
    dropFields(schema, schema.properties, value as Record<string, unknown>, nulls);
  }
}

function dropFields(
  schema: AnySchema,
  known: Readonly<Record<string, AnySchema>>,
  fields: Record<string, unknown>,
  nulls: NullRule,
): void {
  for (const [name, field] of Object.entries(fields)) {
    const fieldSchema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!fieldSchema) continue;
    if (field !== null) dropNulls(fieldSchema, field, within(nulls));
    else if (!schema.required?.includes(name) && !isKept(fieldSchema, nulls)) delete fields[name];
  }
}

function isKept(field: AnySchema, nulls: NullRule): boolean {
  if (field["x-null"] === "kept" || nulls === "patches") return true;
  return nulls === "clears" && takesNull(field);
}

/** A schema without types accepts every value. */
function takesNull({ type, anyOf, nullable }: AnySchema): boolean {
  if (anyOf) return anyOf.some(takesNull);
  if (type === undefined || nullable === true) return true;
  return Array.isArray(type) ? type.includes("null") : type === "null";
}

/** The rule for fields below the top level of the body. */
function within(nulls: NullRule): NullRule {
  return nulls === "patches" ? "clears" : nulls;
}
