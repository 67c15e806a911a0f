import { yieldToEventLoop } from "../platform/clock.ts";
import type { ListParts } from "./strict-json.ts";
import { type AnySchema, compileSchema, type Validate, withoutIds } from "./validate.ts";

/** Checks a body, in the parts that its long lists were parsed in, if it has any. */
export type ValidateBody = (
  value: unknown,
  parts: readonly ListParts[],
) => Promise<void> | undefined;

export function compileBody(schema: object, isNullLikeAbsent: boolean): ValidateBody {
  const whole = compileSchema(schema);
  const inParts = new Map<string, PartsCheck>();
  return (value, parts) => {
    if (parts.length === 0) {
      if (isNullLikeAbsent) dropNulls(schema as AnySchema, value);
      whole(value);
      return undefined;
    }
    const keys = parts.map((part) => part.key).join();
    const check = inParts.get(keys) ?? compileParts(schema, parts, isNullLikeAbsent);
    // Only what a schema names is kept: whatever a client makes up is refused by it.
    if (check.isKnown) inParts.set(keys, check);
    return checkParts(check, value, parts);
  };
}

interface PartsCheck {
  readonly isKnown: boolean;
  /** The body without the items of its long lists. */
  readonly rest: Validate;
  readonly dropRest: (value: unknown) => void;
  readonly items: ReadonlyMap<string, { check: Validate; drop(items: unknown[]): void }>;
}

function compileParts(
  schema: object,
  parts: readonly ListParts[],
  isNullLikeAbsent: boolean,
): PartsCheck {
  const rest = withoutIds(schema) as { properties?: Record<string, Record<string, unknown>> };
  const properties = rest.properties ?? {};
  const items: [string, { check: Validate; drop(items: unknown[]): void }][] = [];
  let isKnown = true;
  for (const { key } of parts) {
    const list = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (list?.["type"] !== "array" || !list["items"]) {
      isKnown = false;
      continue;
    }
    const item = list["items"] as AnySchema;
    const only = { type: "object", properties: { [key]: { type: "array", items: item } } };
    const drop = (values: unknown[]) => {
      if (isNullLikeAbsent) for (const value of values) dropNulls(item, value);
    };
    items.push([key, { check: compileSchema(only), drop }]);
    delete list["items"];
  }
  const dropRest = (value: unknown) => {
    if (isNullLikeAbsent) dropNulls(rest as AnySchema, value);
  };
  return { isKnown, rest: compileSchema(rest), dropRest, items: new Map(items) };
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

/** null in an optional field is the same as leaving it out. */
function dropNulls(schema: AnySchema, value: unknown): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) dropNulls(schema.items, item);
  } else if (typeof value === "object" && value !== null && schema.properties) {
    dropFields(schema, schema.properties, value as Record<string, unknown>);
  }
}

function dropFields(
  schema: AnySchema,
  known: Readonly<Record<string, AnySchema>>,
  fields: Record<string, unknown>,
): void {
  for (const [name, field] of Object.entries(fields)) {
    const fieldSchema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!fieldSchema) continue;
    if (field === null && !schema.required?.includes(name)) delete fields[name];
    else dropNulls(fieldSchema, field);
  }
}
