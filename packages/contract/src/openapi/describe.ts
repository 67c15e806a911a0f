import type { Schema } from "./json.ts";
import { BY_COMPONENT, BY_NAME, COMPONENTS, PARAMETERS } from "./words.ts";

/** Components that extend another one. */
const BASED_ON: Readonly<Record<string, string>> = {
  ControlledBatch: "Batch",
  CreatedBatch: "Batch",
};

/** Adds a description to the component and to each of its fields. */
export function described(component: string, schema: Schema): Schema {
  const owner = BASED_ON[component] ?? component.replace(/Event$/, "");
  const whole = withCreation(component, fill(schema, owner, []));
  const description = whole.description ?? COMPONENTS[component];
  return description === undefined ? whole : { description, ...whole };
}

/** Says of what `created_at` is the time: of the event, or of the resource that the component is named after. */
function withCreation(component: string, schema: Schema): Schema {
  const fields = Object.entries(schema.properties ?? {});
  const created = fields.find(([name]) => name === "created_at")?.[1];
  if (created === undefined || created.description !== undefined) return schema;
  const noun = (BASED_ON[component] ?? component)
    .replace(/^Operator(?!Token)|WithSecret$/g, "")
    .replaceAll(/\B[A-Z]/g, " $&")
    .toLowerCase()
    .replace("api", "API");
  const description = component.endsWith("Event")
    ? "Time of the event."
    : `Time when the ${noun} was created.`;
  return {
    ...schema,
    properties: { ...schema.properties, created_at: { ...created, description } },
  };
}

/** Description of a parameter whose schema has none. */
export function parameterDescription(place: string, name: string): string | undefined {
  return PARAMETERS[`${place} ${name}`] ?? BY_NAME[name];
}

function fill(schema: Schema, owner: string, path: readonly string[]): Schema {
  const copy = { ...schema };
  const inner = (child: Schema) => fill(child, owner, path);
  if (copy.properties) {
    const properties = Object.entries(copy.properties).map(([name, child]): [string, Schema] => [
      name,
      field(child, owner, [...path, name]),
    ]);
    copy.properties = Object.fromEntries(properties);
  }
  if (copy.items) copy.items = inner(copy.items);
  if (typeof copy.additionalProperties === "object") {
    copy.additionalProperties = inner(copy.additionalProperties);
  }
  if (copy.anyOf) copy.anyOf = copy.anyOf.map(inner);
  return copy;
}

function field(schema: Schema, owner: string, path: readonly string[]): Schema {
  const filled = fill(schema, owner, path);
  if (filled.description !== undefined) return filled;
  // Nullable: the value's description holds for the field.
  const [value, ...others] = (filled.anyOf ?? []).filter((choice) => choice.type !== "null");
  const ofValue = others.length === 0 ? value?.description : undefined;
  const description = ofValue ?? wordsFor(filled, owner, path);
  return description === undefined ? filled : { ...filled, description };
}

function wordsFor(schema: Schema, owner: string, path: readonly string[]): string | undefined {
  const name = path.at(-1) ?? "";
  if (typeof schema.const === "string") return `Always \`${schema.const}\`.`;
  // Event data is keyed without its `data` step.
  const own = path[0] === "data" && path.length > 1 ? path.slice(1) : path;
  return BY_COMPONENT[`${owner}.${own.join(".")}`] ?? BY_NAME[name];
}
