import type { Json, Schema } from "../../packages/contract/src/openapi/json.ts";

/** A schema as TypeScript text. Objects take several lines, everything else one. */
export function typeText(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeText(choice, indent)));
  if (schema.allOf) return schema.allOf.map((part) => typeText(part, indent)).join(" & ");
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "unknown"];
  return union(types.map((type) => plainType(type, schema, indent)));
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case "object":
      return objectType(schema, indent);
    case "array": {
      const item = schema.items ? typeText(schema.items, indent) : "unknown";
      return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
    }
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    default:
      return "unknown";
  }
}

function objectType(schema: Schema, indent: string): string {
  const fields = Object.entries(schema.properties ?? {});
  const rest = schema.additionalProperties;
  if (fields.length === 0) {
    if (typeof rest === "object") return `Record<string, ${typeText(rest, indent)}>`;
    return rest === false ? "Record<string, never>" : "Record<string, unknown>";
  }
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => fieldText(name, field, schema, inner));
  // Explicitly open objects: an automation step's other fields depend on its type.
  const open = rest === true ? `${inner}readonly [field: string]: unknown;\n` : "";
  return `{\n${lines.join("")}${open}${indent}}`;
}

function fieldText(name: string, field: Schema, owner: Schema, indent: string): string {
  const isRequired = owner.required?.includes(name) ?? false;
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  const type = typeText(field, indent);
  const comment = field.description ? `${indent}/** ${comments(field.description)} */\n` : "";
  // An optional field may also be given as undefined, which JSON leaves out.
  return `${comment}${indent}${key}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"};\n`;
}

export function comments(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll(/\s*\n\s*/g, " ");
}

function literal(value: Json): string {
  return JSON.stringify(value);
}

function union(parts: readonly string[]): string {
  return [...new Set(parts)].join(" | ");
}
