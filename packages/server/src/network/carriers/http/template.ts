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
  "valid_until",
  "receipts_url",
  "inbound_url",
] as const;

/** Values that a JSON body holds as a number when they stand alone, unless a table changes them. */
const NUMBER_VALUES: ReadonlySet<string> = new Set(["validity_seconds", "segments"]);

export type Values<N extends string> = Readonly<Record<N, string>>;

/** Change of a value on its way into a template. */
interface ValueChange {
  /** Replaced values: `{{encoding|gsm7=text,ucs2=unicode}}`. Others stay. */
  readonly table: ReadonlyMap<string, string> | null;
  /** Factor and then bounds of a number: `{{validity_seconds|times=1000,min=20000}}`. */
  readonly times: number;
  readonly min: number;
  readonly max: number;
}

/** A placeholder of a template. */
interface Placeholder<N extends string> {
  readonly value: N;
  readonly change: ValueChange | null;
}

/** A string with placeholders; secrets are filled in already. */
export type Template<N extends string> = readonly (string | Placeholder<N>)[];

/** A JSON value whose strings are templates. */
export type TemplateTree<N extends string> =
  | { readonly text: Template<N> }
  | { readonly list: readonly TemplateTree<N>[] }
  | { readonly fields: readonly (readonly [name: string, value: TemplateTree<N>])[] }
  | { readonly plain: number | boolean | null };

const PLACEHOLDER = /\{\{\s*([\w.-]{1,120})\s*(?:\|([^{}]{1,400}))?\}\}/g;
const ENV = /^env\.(\w{1,100})$/;

export interface TemplateSource<N extends string> {
  readonly check: FieldCheck;
  readonly env: Environment;
  readonly names: readonly N[];
  /** Beginning of further names, such as `header.`. */
  readonly prefix?: string;
}

/** Parses `{{name}}` and `{{env.NAME}}`; an unknown placeholder is a mistake at `path`. */
export function readTemplate<N extends string>(
  source: TemplateSource<N>,
  path: string,
  text: string,
): Template<N> {
  const parts: (string | Placeholder<N>)[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const part = partOf(source, path, match[1] ?? "");
    const change = match[2];
    parts.push(change === undefined ? part : changed(source.check, path, part, change));
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

function partOf<N extends string>(
  { check, env, names, prefix }: TemplateSource<N>,
  path: string,
  name: string,
): string | Placeholder<N> {
  const known = names.find((one) => one === name);
  if (known !== undefined) return { value: known, change: null };
  if (prefix !== undefined && name.startsWith(prefix)) {
    return { value: name.toLowerCase() as N, change: null };
  }
  const [, variable] = ENV.exec(name) ?? [];
  if (variable === undefined) {
    const takes = [...names, ...(prefix === undefined ? [] : [`${prefix}NAME`])];
    const listed = takes.map((one) => `{{${one}}}`).join(", ");
    check.fail(path, `has {{${name}}}: it takes ${listed} and {{env.NAME}}.`);
  } else if (env[variable] === undefined) {
    check.fail(path, `names ${variable}, which is not set.`);
  }
  return env[variable ?? ""] ?? "";
}

/** Adds a table or bounds to a placeholder. */
function changed<N extends string>(
  check: FieldCheck,
  path: string,
  part: string | Placeholder<N>,
  text: string,
): string | Placeholder<N> {
  const pairs = text.split(",").map((pair) => pair.trim().split("="));
  const isWhole = pairs.every(([name, ...values]) => name !== "" && values.length === 1);
  const isNumber = typeof part !== "string" && NUMBER_VALUES.has(part.value);
  const table = new Map(pairs.map(([name = "", value = ""]) => [name, value]));
  const areBounds = [...table].every(
    ([name, value]) => /^(?:times|min|max)$/.test(name) && /^\d{1,9}$/.test(value),
  );
  if (typeof part === "string" || !isWhole || (isNumber && !areBounds)) {
    const takes = isNumber ? '"min=5,max=3600"' : '"gsm7=text,ucs2=unicode"';
    check.fail(path, `has "|${text}": a value takes changes such as ${takes} there.`);
    return part;
  }
  const change = isNumber
    ? {
        table: null,
        times: Number(table.get("times") ?? 1),
        min: Number(table.get("min") ?? 0),
        max: Number(table.get("max") ?? Infinity),
      }
    : { table, times: 1, min: 0, max: 0 };
  return { value: part.value, change };
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
  return fillFrom(template, (name) => values[name]);
}

export function fillFrom<N extends string>(
  template: Template<N>,
  lookUp: (name: N) => string,
): string {
  const parts = template.map((part) => {
    if (typeof part === "string") return part;
    const value = lookUp(part.value);
    const { change } = part;
    if (change === null) return value;
    if (change.table) return change.table.get(value) ?? value;
    return String(Math.min(change.max, Math.max(change.min, Number(value) * change.times)));
  });
  return parts.join("");
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
