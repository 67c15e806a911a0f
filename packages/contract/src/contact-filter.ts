import { parseTimestamp, TIMESTAMP_FORM } from "./codecs/timestamps.ts";
import { normalizePhone } from "./phone/phone.ts";
import { isLonger } from "./text/code-points.ts";

/**
 * Contact filter of segments and automations: `{all: […]}`, `{any: […]}`, `{not: …}`, and leaves
 * `{field, op, value}`. Parsed once into validated, bounded conditions; the server compiles them to
 * SQL, and `matchesFilter` evaluates them for one contact in memory.
 */
export type ContactFilter =
  | { readonly all: readonly ContactFilter[] }
  | { readonly any: readonly ContactFilter[] }
  | { readonly not: ContactFilter }
  | { readonly field: string; readonly op: FilterOp; readonly value: string | number | boolean };

export const FILTER_LEAVES_MAX = 50;
export const FILTER_DEPTH_MAX = 5;
export const FILTER_VALUE_CHARS_MAX = 500;
export const ATTRIBUTE_FIELD_PREFIX = "attributes.";
export const PROPERTY_FIELD_PREFIX = "properties.";

export const FILTER_OPS = [
  "is",
  "is_not",
  "contains",
  "starts_with",
  "before",
  "after",
  "exists",
] as const;
export type FilterOp = (typeof FILTER_OPS)[number];

const TEXT_OPS = ["is", "is_not", "contains", "starts_with", "exists"] as const;

/** Value type and operators of each field. */
// biome-ignore format: read as a table
export const FILTER_FIELDS = {
  tag:          { kind: "tag",     ops: TEXT_OPS },
  name:         { kind: "text",    ops: TEXT_OPS },
  email:        { kind: "text",    ops: TEXT_OPS },
  company:      { kind: "text",    ops: TEXT_OPS },
  phone_number: { kind: "phone",   ops: TEXT_OPS },
  area_code:    { kind: "digits",  ops: TEXT_OPS },
  created_at:   { kind: "time",    ops: ["before", "after", "exists"] },
  updated_at:   { kind: "time",    ops: ["before", "after", "exists"] },
  opted_out:    { kind: "boolean", ops: ["is", "is_not", "exists"] },
  topic:        { kind: "topic",   ops: ["is", "is_not"] },
} as const satisfies Record<string, { kind: string; ops: readonly FilterOp[] }>;

const KEYED = { kind: "keyed", ops: TEXT_OPS } as const;

type FieldName = keyof typeof FILTER_FIELDS;
type TextOp = (typeof TEXT_OPS)[number];

/** A parsed leaf: strings in lower case, times as milliseconds, numbers as E.164. */
export type FilterLeaf =
  | { readonly field: "name" | "email" | "company"; readonly op: TextOp; readonly value: string }
  | { readonly field: "tag"; readonly op: TextOp; readonly value: string }
  | { readonly field: "phone_number" | "area_code"; readonly op: TextOp; readonly value: string }
  | {
      readonly field: "created_at" | "updated_at";
      readonly op: "before" | "after";
      readonly valueMs: number;
    }
  | { readonly field: "opted_out"; readonly value: boolean }
  | { readonly field: "topic"; readonly op: "is" | "is_not"; readonly topicId: string }
  | {
      readonly field: "attribute" | "property";
      readonly key: string;
      readonly op: TextOp;
      readonly value: string;
    }
  | { readonly field: "always"; readonly value: boolean };

export type FilterNode =
  | { readonly all: readonly FilterNode[] }
  | { readonly any: readonly FilterNode[] }
  | { readonly not: FilterNode }
  | { readonly leaf: FilterLeaf };

export type ParsedFilter =
  | { readonly ok: true; readonly filter: FilterNode; readonly topicIds: readonly string[] }
  | { readonly ok: false; readonly param: string; readonly reason: string };

export interface FilterOptions {
  /** Path of the filter in the body, for error messages. */
  readonly param?: string;
  /** Allows `properties.KEY`, the properties of an automation's trigger. */
  readonly properties?: boolean;
}

/** Normal form for comparisons: Unicode-composed and lower case. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

class FilterFault extends Error {
  readonly param: string;

  constructor(param: string, reason: string) {
    super(reason);
    this.param = param;
  }
}

interface Reading {
  readonly properties: boolean;
  readonly topicIds: Set<string>;
  leaves: number;
}

/** Parses a filter, or reports the path of the error (`filter.all[2].op`) and how to fix it. */
export function parseFilter(input: unknown, options: FilterOptions = {}): ParsedFilter {
  const reading: Reading = {
    properties: options.properties === true,
    topicIds: new Set(),
    leaves: 0,
  };
  try {
    const filter = readNode(reading, input, options.param ?? "filter", 0);
    return { ok: true, filter, topicIds: [...reading.topicIds] };
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    return { ok: false, param: error.param, reason: error.message };
  }
}

const HOW_NODE = "Write {all: […]}, {any: […]}, {not: …}, or {field, op, value}.";

function readNode(reading: Reading, input: unknown, path: string, depth: number): FilterNode {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new FilterFault(path, `${path} must be an object. ${HOW_NODE}`);
  }
  const node = input as Record<string, unknown>;
  const group = (["all", "any", "not"] as const).find((key) => Object.hasOwn(node, key));
  if (group === undefined) return { leaf: readLeaf(reading, node, path) };
  const other = Object.keys(node).find((key) => key !== group);
  if (other !== undefined) {
    const where = `${path}.${shown(other)}`;
    throw new FilterFault(
      where,
      `${where} and ${group} are in one group. A group has a single key: remove one of them.`,
    );
  }
  if (depth >= FILTER_DEPTH_MAX) {
    throw new FilterFault(path, `${path} is nested more than ${FILTER_DEPTH_MAX} deep.`);
  }
  const inside = `${path}.${group}`;
  if (group === "not") return { not: readNode(reading, node["not"], inside, depth + 1) };
  const items = node[group];
  if (!Array.isArray(items)) throw new FilterFault(inside, `${inside} must be a list of filters.`);
  if (items.length > FILTER_LEAVES_MAX) throw tooMany(inside);
  const read = items.map((item, i) => readNode(reading, item, `${inside}[${i}]`, depth + 1));
  return group === "all" ? { all: read } : { any: read };
}

function tooMany(path: string): FilterFault {
  return new FilterFault(path, `A filter has at most ${FILTER_LEAVES_MAX} conditions.`);
}

function readLeaf(reading: Reading, node: Record<string, unknown>, path: string): FilterLeaf {
  reading.leaves += 1;
  if (reading.leaves > FILTER_LEAVES_MAX) throw tooMany(path);
  const unknown = Object.keys(node).find((key) => !["field", "op", "value"].includes(key));
  if (unknown !== undefined) {
    const where = `${path}.${shown(unknown)}`;
    throw new FilterFault(where, `${where} is not a key of a filter. ${HOW_NODE}`);
  }
  const { field, op, value } = node;
  if (typeof field !== "string") {
    throw new FilterFault(
      `${path}.field`,
      `${path}.field must name a field. ${fieldList(reading)}`,
    );
  }
  const keyed = keyedField(reading, field);
  const spec = keyed
    ? KEYED
    : Object.hasOwn(FILTER_FIELDS, field)
      ? FILTER_FIELDS[field as FieldName]
      : null;
  if (spec === null) {
    throw new FilterFault(
      `${path}.field`,
      `${path}.field is ${shown(JSON.stringify(field))}, which is no field. ${fieldList(reading)}`,
    );
  }
  if (typeof op !== "string" || !(spec.ops as readonly string[]).includes(op)) {
    throw new FilterFault(
      `${path}.op`,
      `${path}.op must be one of ${spec.ops.join(", ")} for ${shown(field)}.`,
    );
  }
  const at = `${path}.value`;
  if (op === "exists") return readExists(field, keyed, value, at);
  return readCompared(reading, field, spec.kind, keyed, op as FilterOp, value, at);
}

function fieldList(reading: Reading): string {
  const properties = reading.properties ? ", properties.KEY" : "";
  return `Fields are ${Object.keys(FILTER_FIELDS).join(", ")}, attributes.KEY${properties}.`;
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

type Keyed = { readonly field: "attribute" | "property"; readonly key: string };

function keyedField(reading: Reading, field: string): Keyed | null {
  const prefixes = [
    [ATTRIBUTE_FIELD_PREFIX, "attribute"],
    ...(reading.properties ? [[PROPERTY_FIELD_PREFIX, "property"]] : []),
  ] as [string, "attribute" | "property"][];
  for (const [prefix, name] of prefixes) {
    const key = field.startsWith(prefix) ? field.slice(prefix.length) : "";
    if (key !== "" && !isLonger(key, FILTER_VALUE_CHARS_MAX)) return { field: name, key };
  }
  return null;
}

function readExists(field: string, keyed: Keyed | null, value: unknown, at: string): FilterLeaf {
  if (typeof value !== "boolean") {
    throw new FilterFault(at, `${at} must be true or false with exists.`);
  }
  if (keyed) return { ...keyed, op: value ? "exists" : "is", value: "" };
  if (field === "tag" || field === "name" || field === "email" || field === "company") {
    return { field, op: value ? "exists" : "is", value: "" };
  }
  // Every contact has the remaining fields.
  return { field: "always", value };
}

function readCompared(
  reading: Reading,
  field: string,
  kind: string,
  keyed: Keyed | null,
  op: FilterOp,
  value: unknown,
  at: string,
): FilterLeaf {
  if (kind === "time") {
    const valueMs =
      typeof value === "string" || typeof value === "number" ? parseTimestamp(value) : null;
    if (valueMs === null) throw new FilterFault(at, `${at} must be a time: ${TIMESTAMP_FORM}.`);
    return { field: field as "created_at", op: op as "before", valueMs };
  }
  if (kind === "boolean") {
    if (typeof value !== "boolean") throw new FilterFault(at, `${at} must be true or false.`);
    return { field: "opted_out", value: op === "is" ? value : !value };
  }
  return readText(reading, field, kind, keyed, op, textValue(value, at), at);
}

function textValue(value: unknown, at: string): string {
  if (typeof value !== "string" || value.trim() === "") {
    throw new FilterFault(at, `${at} must be a text that is not blank.`);
  }
  if (isLonger(value, FILTER_VALUE_CHARS_MAX)) {
    throw new FilterFault(at, `${at} must have at most ${FILTER_VALUE_CHARS_MAX} characters.`);
  }
  return value;
}

function readText(
  reading: Reading,
  field: string,
  kind: string,
  keyed: Keyed | null,
  op: FilterOp,
  value: string,
  at: string,
): FilterLeaf {
  if (kind === "topic") {
    reading.topicIds.add(value);
    return { field: "topic", op: op as "is", topicId: value };
  }
  const textOp = op as TextOp;
  if (keyed) return { ...keyed, op: textOp, value: foldCase(value) };
  if (kind === "phone") {
    return { field: "phone_number", op: textOp, value: phoneValue(textOp, value, at) };
  }
  if (kind === "digits") return { field: "area_code", op: textOp, value: value.trim() };
  if (kind === "tag") return { field: "tag", op: textOp, value: foldCase(value.trim()) };
  return { field: field as "name", op: textOp, value: foldCase(value) };
}

/** A whole number in any accepted form, or some of its digits. */
function phoneValue(op: TextOp, value: string, at: string): string {
  if (op === "is" || op === "is_not") {
    const phone = normalizePhone(value);
    if (phone === null)
      throw new FilterFault(at, `${at} must be a phone number such as +14155550100.`);
    return phone;
  }
  const digits = value.replace(/\D/g, "");
  if (digits === "") throw new FilterFault(at, `${at} must have digits.`);
  if (op === "contains") return digits;
  // Numbers are often written without the country code +1.
  return value.trim().startsWith("+")
    ? `+${digits}`
    : digits.startsWith("1")
      ? `+${digits}`
      : `+1${digits}`;
}

/** Contact data that a filter can test. */
export interface FilterSubject {
  readonly phone_number: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly company: string | null;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly optedOut: boolean;
  /** Ids of the topics that the contact is subscribed to. */
  readonly topicIds: ReadonlySet<string>;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Evaluates a filter for one contact, with the same result as the server's SQL. */
export function matchesFilter(node: FilterNode, subject: FilterSubject): boolean {
  if ("all" in node) return node.all.every((one) => matchesFilter(one, subject));
  if ("any" in node) return node.any.some((one) => matchesFilter(one, subject));
  if ("not" in node) return !matchesFilter(node.not, subject);
  return matchesLeaf(node.leaf, subject);
}

function matchesLeaf(leaf: FilterLeaf, subject: FilterSubject): boolean {
  switch (leaf.field) {
    case "always":
      return leaf.value;
    case "opted_out":
      return subject.optedOut === leaf.value;
    case "topic":
      return subject.topicIds.has(leaf.topicId) === (leaf.op === "is");
    case "created_at":
    case "updated_at": {
      const atMs = leaf.field === "created_at" ? subject.createdAtMs : subject.updatedAtMs;
      return leaf.op === "before" ? atMs < leaf.valueMs : atMs > leaf.valueMs;
    }
    case "tag":
      return matchesTags(leaf.op, leaf.value, subject.tags);
    case "phone_number":
      return matchesText(leaf.op, leaf.value, subject.phone_number);
    case "area_code":
      return matchesText(leaf.op, leaf.value, subject.phone_number.slice(2, 5));
    case "attribute":
      return matchesText(leaf.op, leaf.value, foldedOf(ownText(subject.attributes, leaf.key)));
    case "property":
      return matchesText(
        leaf.op,
        leaf.value,
        foldedOf(ownText(subject.properties ?? {}, leaf.key)),
      );
    default:
      return matchesText(leaf.op, leaf.value, foldedOf(subject[leaf.field]));
  }
}

function foldedOf(text: string | null): string | null {
  return text === null ? null : foldCase(text);
}

function ownText(values: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = Object.hasOwn(values, key) ? values[key] : null;
  return value === null || value === undefined ? null : String(value);
}

/** A missing or empty value never matches `contains`, `starts_with` or `exists`. */
function matchesText(op: TextOp, value: string, text: string | null): boolean {
  const isMissing = text === null || text === "";
  if (op === "exists") return !isMissing;
  if (op === "is") return value === "" ? isMissing : text === value;
  if (op === "is_not") return text !== value;
  if (isMissing) return false;
  return op === "contains" ? text.includes(value) : text.startsWith(value);
}

function matchesTags(op: TextOp, value: string, tags: readonly string[]): boolean {
  if (op === "exists") return tags.length > 0;
  if (op === "is" && value === "") return tags.length === 0;
  const folded = tags.map(foldCase);
  if (op === "is") return folded.includes(value);
  if (op === "is_not") return !folded.includes(value);
  return folded.some((tag) => matchesText(op, value, tag));
}
