import { described } from "./describe.ts";
import { plainSchema, type Schema } from "./json.ts";

const PREFIX = "#/components/schemas/";

/** Collects every schema with an `$id` once, and replaces it by a `$ref`. */
export interface Components {
  /** Schema of a response. */
  output(schema: object): Schema;
  /** Schema of a request, in which null in an optional field means absent. */
  nullableInput(schema: object): Schema;
  /** Schema of a PATCH, whose own fields allow null only to clear them. */
  patchInput(schema: object): Schema;
  add(name: string, schema: Schema): Schema;
  /** Reference to the schema, which becomes a component of this name unless it has one. */
  named(name: string, schema: Schema): Schema;
  /** Replaces a collected schema; does nothing when it was not collected. */
  replace(name: string, schema: Schema): void;
  /** Collected schemas, by name. */
  schemas(): Record<string, Schema>;
}

export function createComponents(): Components {
  const found = new Map<string, Schema>();
  const add = (name: string, schema: Schema): Schema => {
    const known = found.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas have the $id ${name}.`);
    }
    found.set(name, schema);
    return { $ref: PREFIX + name };
  };
  return {
    output: (schema) => reference(plainSchema(schema), add),
    patchInput: (schema) => reference(mapChildren(plainSchema(schema), withNulls), add),
    nullableInput: (schema) => reference(withNulls(plainSchema(schema)), add),
    add,
    named: (name, schema) => (schema.$ref === undefined ? add(name, schema) : schema),
    replace: (name, schema) => {
      if (found.has(name)) found.set(name, schema);
    },
    schemas: () => {
      const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(sorted.map(([name, schema]) => [name, described(name, schema)]));
    },
  };
}

type Add = (name: string, schema: Schema) => Schema;

function reference(schema: Schema, add: Add): Schema {
  const { $id, $defs, "x-component": component, "x-null": _, ...rest } = schema;
  if (component !== undefined) return sharedComponent(component, rest, add);
  for (const [name, definition] of Object.entries($defs ?? {})) {
    const { $id: _id, ...body } = definition;
    add(
      name,
      mapChildren(tidy(body), (child) => reference(child, add)),
    );
  }
  if (rest.$ref !== undefined && !rest.$ref.startsWith("#")) {
    return { ...rest, $ref: PREFIX + rest.$ref };
  }
  const body = mapChildren(tidy(rest), (child) => reference(child, add));
  return $id === undefined ? body : add($id, body);
}

/** One use of a component; each use may have its own description. */
function sharedComponent(name: string, schema: Schema, add: Add): Schema {
  const { description, ...rest } = schema;
  const ref = add(name, rest);
  return description === undefined ? ref : { ...ref, description };
}

/**
 * TypeBox writes a record as a pattern that every name matches; readers expect
 * `additionalProperties`.
 */
function tidy(schema: Schema): Schema {
  const { patternProperties, ...rest } = schema;
  const any = patternProperties?.["^.*$"];
  return any ? { ...rest, additionalProperties: any } : schema;
}

/** Allows null in every optional field of a request, down through objects and arrays. */
function withNulls(schema: Schema): Schema {
  const open = mapChildren(schema, withNulls);
  if (!open.properties) return open;
  const required = new Set(open.required ?? []);
  const properties = Object.entries(open.properties).map(([name, property]): [string, Schema] => [
    name,
    required.has(name) ? property : orNull(property),
  ]);
  const changed = { ...open, properties: Object.fromEntries(properties) };
  // The request form differs from the response form, so it needs its own name.
  const differs = JSON.stringify(changed) !== JSON.stringify(schema);
  return schema.$id && differs && !schema.$id.endsWith("Input")
    ? { ...changed, $id: `${schema.$id}Input` }
    : changed;
}

function orNull(schema: Schema): Schema {
  if (allowsNull(schema)) return schema;
  if (typeof schema.type === "string" && schema.$id === undefined && schema.const === undefined) {
    const values = schema.enum ? { enum: [...schema.enum, null] } : {};
    return { ...schema, ...values, type: [schema.type, "null"] };
  }
  if (schema.anyOf && schema["x-component"] === undefined)
    return { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  const { description, ...rest } = schema;
  // A named schema keeps its description in every use.
  const named = schema.$id === undefined ? rest : schema;
  const union = { anyOf: [named, { type: "null" }] };
  return description === undefined ? union : { ...union, description };
}

/** A schema without types allows everything. */
function allowsNull(schema: Schema): boolean {
  if (Array.isArray(schema.type)) return schema.type.includes("null");
  if (schema.anyOf) return schema.anyOf.some(allowsNull);
  return schema.type === "null" || Object.keys(schema).every((key) => key === "description");
}

function mapChildren(schema: Schema, change: (child: Schema) => Schema): Schema {
  const copy = { ...schema };
  if (copy.properties) copy.properties = mapValues(copy.properties, change);
  if (copy.patternProperties) copy.patternProperties = mapValues(copy.patternProperties, change);
  if (copy.items) copy.items = change(copy.items);
  if (typeof copy.additionalProperties === "object") {
    copy.additionalProperties = change(copy.additionalProperties);
  }
  if (copy.anyOf) copy.anyOf = copy.anyOf.map(change);
  if (copy.oneOf) copy.oneOf = copy.oneOf.map(change);
  if (copy.allOf) copy.allOf = copy.allOf.map(change);
  return copy;
}

function mapValues(
  schemas: Record<string, Schema>,
  change: (child: Schema) => Schema,
): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, change(schema)]),
  );
}
