export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** JSON Schema as this package writes it; only the parts that code reads by name. */
export interface Schema {
  $id?: string;
  $ref?: string;
  /** Component name of a schema that several fields share. */
  "x-component"?: string;
  /** null in this request field is a value, different from absence. */
  "x-null"?: "kept";
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: Json[];
  const?: Json;
  default?: Json;
  examples?: Json[];
  description?: string;
  format?: string;
  pattern?: string;
  minimum?: number;
  minItems?: number;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

/** Plain JSON copy: TypeBox marks its values with hidden properties. */
export function plainSchema(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

/** `messages.send` and `message_not_found` as MessagesSend and MessageNotFound. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}
