import type { Environment, FieldCheck } from "../check-fields.ts";

/** Values of a message that a request template may use. */
export const MESSAGE_VALUES = [
  "from",
  "to",
  "from_digits",
  "to_digits",
  "body",
  "reference",
  "segments",
  "encoding",
  "validity_seconds",
  "receipts_url",
  "inbound_url",
] as const;

/** Values that a JSON body holds as a number when they stand alone. */
const NUMBER_VALUES: ReadonlySet<string> = new Set(["validity_seconds"]);

export type Values<N extends string> = Readonly<Record<N, string>>;

/** A string with placeholders; secrets are filled in already. */
export type Template<N extends string> = readonly (string | { readonly value: N })[];

/** A JSON value whose strings are templates. */
export type TemplateTree<N extends string> =
  | { readonly text: Template<N> }
  | { readonly list: readonly TemplateTree<N>[] }
  | { readonly fields: readonly (readonly [name: string, value: TemplateTree<N>])[] }
  | { readonly plain: number | boolean | null };

const PLACEHOLDER = /\{\{\s*([\w.]{1,120})\s*\}\}/g;
const ENV = /^env\.(\w{1,100})$/;

export interface TemplateSource<N extends string> {
  readonly check: FieldCheck;
  readonly env: Environment;
  readonly names: readonly N[];
}

/** Parses `{{name}}` and `{{env.NAME}}`; an unknown placeholder is a mistake at `path`. */
export function readTemplate<N extends string>(
  source: TemplateSource<N>,
  path: string,
  text: string,
): Template<N> {
  const parts: (string | { value: N })[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    parts.push(partOf(source, path, match[1] ?? ""));
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

function partOf<N extends string>(
  { check, env, names }: TemplateSource<N>,
  path: string,
  name: string,
): string | { value: N } {
  const known = names.find((one) => one === name);
  if (known !== undefined) return { value: known };
  const [, variable] = ENV.exec(name) ?? [];
  if (variable === undefined) {
    const takes = names.map((one) => `{{${one}}}`).join(", ");
    check.fail(path, `has {{${name}}}: it takes ${takes} and {{env.NAME}}.`);
  } else if (env[variable] === undefined) {
    check.fail(path, `names ${variable}, which is not set.`);
  }
  return env[variable ?? ""] ?? "";
}

export function readTree<N extends string>(
  source: TemplateSource<N>,
  path: string,
  value: unknown,
): TemplateTree<N> {
  if (typeof value === "string") return { text: readTemplate(source, path, value) };
  if (Array.isArray(value)) {
    return { list: value.map((one, index) => readTree(source, `${path}[${index}]`, one)) };
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    return {
      fields: fields.map(([name, one]) => [name, readTree(source, `${path}.${name}`, one)]),
    };
  }
  return { plain: value as number | boolean | null };
}

export function fill<N extends string>(template: Template<N>, values: Values<N>): string {
  return template.map((part) => (typeof part === "string" ? part : values[part.value])).join("");
}

export function fillTree<N extends string>(tree: TemplateTree<N>, values: Values<N>): unknown {
  if ("text" in tree) {
    const text = fill(tree.text, values);
    return isNumber(tree.text) ? Number(text) : text;
  }
  if ("list" in tree) return tree.list.map((one) => fillTree(one, values));
  if ("plain" in tree) return tree.plain;
  return Object.fromEntries(tree.fields.map(([name, one]) => [name, fillTree(one, values)]));
}

function isNumber<N extends string>([first, ...others]: Template<N>): boolean {
  return typeof first === "object" && NUMBER_VALUES.has(first.value) && others.length === 0;
}

/** Whether the placeholder occurs anywhere in the tree. */
export function mentions<N extends string>(tree: TemplateTree<N>, name: N): boolean {
  if ("text" in tree)
    return tree.text.some((part) => typeof part !== "string" && part.value === name);
  if ("list" in tree) return tree.list.some((one) => mentions(one, name));
  return "fields" in tree && tree.fields.some(([, one]) => mentions(one, name));
}
