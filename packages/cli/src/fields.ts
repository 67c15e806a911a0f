import { readFileSync } from "node:fs";
import { UsageError } from "./exit-codes.ts";
import { type JsonSchema, kebab } from "./operation.ts";

/** A request field on the command line. */
export interface Field {
  readonly name: string;
  /** `--customer-id` */
  readonly flag: string;
  readonly kind: "text" | "number" | "boolean" | "texts" | "json";
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly help: string;
  readonly choices: readonly string[] | null;
}

export function fieldsOf(schema: JsonSchema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const types = typesOf(field);
    const choices = (field.enum ?? []).filter((value) => typeof value === "string") as string[];
    return {
      name,
      flag: `--${kebab(name)}`,
      kind: kindOf(types, field),
      isRequired: schema?.required?.includes(name) ?? false,
      isNullable: types.includes("null"),
      help: field.description ?? "",
      choices: choices.length > 0 ? choices : null,
    };
  });
}

function typesOf(schema: JsonSchema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(typesOf);
  if (typeof schema.type === "string") return [schema.type];
  return [...(schema.type ?? [])];
}

function kindOf(types: readonly string[], schema: JsonSchema): Field["kind"] {
  const plain = types.filter((type) => type !== "null");
  if (plain.includes("array")) {
    const arrays = schema.anyOf?.find((choice) => typesOf(choice).includes("array")) ?? schema;
    const isTexts = typesOf(arrays.items ?? {}).every((type) => type === "string");
    return isTexts && arrays.items ? "texts" : "json";
  }
  if (plain.includes("string")) return "text";
  if (plain.includes("object") || plain.length === 0) return "json";
  if (plain.includes("number") || plain.includes("integer")) return "number";
  return plain.includes("boolean") ? "boolean" : "json";
}

/** Converts command-line input to the API's type. */
export function typedValue(field: Field, given: unknown): unknown {
  if (field.isNullable && isNull(given)) return null;
  switch (field.kind) {
    case "text":
      return given;
    case "texts":
      return Array.isArray(given) ? given : [given];
    case "number":
      return numberOf(field, String(given));
    case "boolean":
      return booleanOf(field, given);
    case "json":
      return jsonOf(field.flag, String(given));
  }
}

/** `null` as the value, or as the only one of an option that takes several. */
function isNull(given: unknown): boolean {
  return given === "null" || (Array.isArray(given) && given.length === 1 && given[0] === "null");
}

function numberOf(field: Field, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) {
    throw new UsageError(`${field.flag} takes a number; ${text} is none.`);
  }
  return value;
}

function booleanOf(field: Field, given: unknown): boolean {
  if (given === true || given === "true") return true;
  if (given === false || given === "false") return false;
  throw new UsageError(`${field.flag} takes true or false; ${String(given)} is neither.`);
}

/** JSON from the command line, from a file (`@file`) or from standard input (`-`). */
export function jsonOf(flag: string, text: string): unknown {
  const isFile = text === "-" || text.startsWith("@");
  const source = isFile ? fileText(flag, text.replace(/^@/, "")) : text;
  try {
    return JSON.parse(source) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${flag} takes JSON, @file or - for standard input: ${reason}`, {
      cause: error,
    });
  }
}

/** Content of a file, or of standard input. */
export function fileText(flag: string, file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${flag}: ${reason}`, { cause: error });
  }
}
