import { pascalCase, type Schema } from "../../packages/contract/src/openapi/json.ts";

/** Words that cannot name a field or a parameter. */
const KEYWORDS = new Set(["from", "import", "class", "if", "else", "global", "is", "in", "not"]);
const HEAD = `"""Objects of the API, as dictionaries with known fields."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union
`;

/** A name as Python takes it: \`from\` becomes \`from_\`. */
export function pythonName(name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

/** Python types of schemas. Objects inside objects get names of their own. */
export class PythonTypes {
  readonly #classes: string[] = [];
  readonly #aliases: string[] = [];
  readonly #names = new Set<string>();

  /** Adds a named schema. */
  add(name: string, schema: Schema): void {
    if (schema.type === "object" && Object.keys(schema.properties ?? {}).length > 0) {
      this.#addClass(name, schema);
      return;
    }
    this.#names.add(name);
    this.#aliases.push(`${name} = ${this.typeOf(schema, name, "")}\n`);
  }

  text(): string {
    return [HEAD, ...this.#classes, this.#aliases.join("")].join("\n\n");
  }

  /** The type as text; \`owner\` names the objects inside it, \`module\` precedes every name. */
  typeOf(schema: Schema, owner: string, module: string): string {
    if (schema.$ref !== undefined) return this.#quoted(schema.$ref.split("/").at(-1) ?? "", module);
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum) return literal(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) {
      return union(choices.map((one, index) => this.typeOf(one, `${owner}${index + 1}`, module)));
    }
    if (schema.allOf) return "Dict[str, Any]";
    const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"];
    return union(types.map((type) => this.#plain(type, schema, owner, module)));
  }

  #plain(type: string, schema: Schema, owner: string, module: string): string {
    switch (type) {
      case "string":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "array":
        return `List[${schema.items ? this.typeOf(schema.items, `${owner}Item`, module) : "Any"}]`;
      case "object":
        return this.#object(schema, owner, module);
      default:
        return "Any";
    }
  }

  #object(schema: Schema, owner: string, module: string): string {
    const rest = schema.additionalProperties;
    // Open objects have fields that depend on the value of another.
    if (rest === true || Object.keys(schema.properties ?? {}).length === 0) {
      const value = typeof rest === "object" ? this.typeOf(rest, `${owner}Value`, module) : "Any";
      return `Dict[str, ${value}]`;
    }
    if (!this.#names.has(owner)) this.#addClass(owner, schema);
    return this.#quoted(owner, module);
  }

  #addClass(name: string, schema: Schema): void {
    this.#names.add(name);
    const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => {
      const type = this.typeOf(value, name + pascalCase(field), "");
      const isRequired = schema.required?.includes(field) ?? false;
      return { field, type: isRequired ? type : `NotRequired[${type}]` };
    });
    // The form of a call takes any field name, that of a class only names of Python.
    const isPlain = fields.every(({ field }) => /^[a-z]\w*$/i.test(field) && !KEYWORDS.has(field));
    const lines = fields.map(({ field, type }) =>
      isPlain ? `    ${field}: ${type}` : `    ${JSON.stringify(field)}: ${type},`,
    );
    this.#classes.push(
      isPlain
        ? `class ${name}(TypedDict):\n${lines.join("\n")}\n`
        : `${name} = TypedDict("${name}", {\n${lines.join("\n")}\n})\n`,
    );
  }

  #quoted(name: string, module: string): string {
    return JSON.stringify(module + name);
  }
}

function literal(values: readonly unknown[]): string {
  const shown = values.map((value) => (value === null ? "None" : pythonValue(value)));
  return `Literal[${shown.join(", ")}]`;
}

function pythonValue(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  return JSON.stringify(value);
}

export function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? (distinct[0] ?? "Any") : `Union[${distinct.join(", ")}]`;
}
