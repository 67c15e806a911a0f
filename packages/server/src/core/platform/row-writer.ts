import { formatTimestamp, type IdKind, microsToUsd } from "@longwave/contract";
import { toApiId } from "./ids.ts";

/**
 * Rows as API objects, and the JSON of those objects. `shape` takes one line per field and compiles both functions.
 * Every message and every event is serialised once; the compiled writer takes half the time of `JSON.stringify` on an
 * object.
 */

/** Matches characters that JSON must escape, and lone surrogates. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

function jsonString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Functions that compiled expressions may call. */
const HELPERS = { formatTimestamp, jsonString, microsToUsd, toApiId };

/** One field, as JavaScript over a variable `row`. */
export interface Field<Out> {
  /** Expression for the value. */
  readonly value: string;
  /** Its JSON, as the inside of a template literal. */
  readonly json: string;
  /** Expression that is null when the value is null; null when the value never is. */
  readonly nullable: string | null;
  /** A function that the expressions call as `own`. */
  readonly own?: (row: never) => unknown;
  /** Type of the value; absent at run time. */
  readonly out?: Out;
}

type Columns<Row, T> = {
  [K in keyof Row]: Exclude<Row[K], null> extends T ? K : never;
}[keyof Row] &
  string;
type NullLike<Value, Out> = null extends Value ? Out | null : Out;

/** The kinds of fields. */
export interface Fields<Row> {
  constant<const T extends string | number | boolean>(value: T): Field<T>;
  /** Strings that never need an escape: ids, statuses, codes. */
  plain<K extends Columns<Row, string>>(column: K): Field<Row[K]>;
  text<K extends Columns<Row, string>>(column: K): Field<Row[K]>;
  number<K extends Columns<Row, number>>(column: K): Field<Row[K]>;
  boolean<K extends Columns<Row, boolean>>(column: K): Field<Row[K]>;
  /** A UUID, shown as an API id. */
  id<K extends Columns<Row, string>>(kind: IdKind, column: K): Field<NullLike<Row[K], string>>;
  /** Milliseconds, shown as ISO 8601. */
  moment<K extends Columns<Row, number>>(column: K): Field<NullLike<Row[K], string>>;
  /** Millionths of a dollar, shown as dollars. */
  usd<K extends Columns<Row, number>>(column: K): Field<NullLike<Row[K], number>>;
  /** JSON stored as a string, copied as it is. */
  stored<Out>(column: Columns<Row, string>): Field<Out>;
  /** Result of a function of the row; null and undefined become null. */
  made<Out>(own: (row: Row) => Out): Field<Out>;
}

function column(name: string, make: (of: string) => Omit<Field<unknown>, "nullable">) {
  const of = `row[${JSON.stringify(name)}]`;
  return { ...make(of), nullable: of };
}

const bare = (of: string) => ({ value: of, json: `\${${of}}` });
const quotedBare = (of: string) => ({ value: of, json: `"\${${of}}"` });

const FIELDS = {
  constant: (value: unknown) => ({
    value: JSON.stringify(value),
    json: `\${${JSON.stringify(JSON.stringify(value))}}`,
    nullable: null,
  }),
  plain: (name: string) => column(name, quotedBare),
  text: (name: string) =>
    column(name, (of) => ({
      value: of,
      json: `\${jsonString(${of})}`,
    })),
  number: (name: string) => column(name, bare),
  boolean: (name: string) => column(name, bare),
  id: (kind: IdKind, name: string) =>
    column(name, (of) => quotedBare(`toApiId(${JSON.stringify(kind)}, ${of})`)),
  moment: (name: string) => column(name, (of) => quotedBare(`formatTimestamp(${of})`)),
  usd: (name: string) => column(name, (of) => bare(`microsToUsd(${of})`)),
  stored: (name: string) =>
    column(name, (of) => ({
      value: `JSON.parse(${of})`,
      json: `\${${of}}`,
    })),
  made: (own: (row: never) => unknown) => ({
    value: "own(row)",
    json: `\${JSON.stringify(own(row) ?? null)}`,
    nullable: null,
    own,
  }),
};

/** Both forms of a row: API object and JSON. */
export interface Shape<Row, Shown> {
  show(row: Row): Shown;
  /** The JSON of `show(row)`, byte for byte as JSON.stringify writes it. */
  write(row: Row): string;
}

/** Compiles a shape from its fields, in the order given. */
export function shape<Row, Shown extends object>(
  describe: (field: Fields<Row>) => { readonly [K in keyof Shown]-?: Field<Shown[K]> },
): Shape<Row, Shown> {
  const fields = Object.entries<Field<unknown>>(describe(FIELDS as unknown as Fields<Row>));
  const values = fields.map(([name, field], at) => {
    const value = orElse(field, field.value, "null");
    return `${JSON.stringify(name)}: ${withOwn(value, at)}`;
  });
  const texts = fields.map(([name, field], at) => {
    const json = `\${${orElse(field, `\`${field.json}\``, '"null"')}}`;
    return `${JSON.stringify(name)}:${withOwn(json, at)}`;
  });
  const functions = fields.map(([, field]) => field);
  return {
    show: compile(`({ ${values.join(", ")} })`, functions),
    write: compile(`\`{${texts.join(",")}}\``, functions),
  };
}

function orElse(field: Field<unknown>, expression: string, whenNull: string): string {
  return field.nullable === null
    ? expression
    : `${field.nullable} === null ? ${whenNull} : ${expression}`;
}

/** Renames each field's function to `own0`, `own1`, … so that they do not collide. */
function withOwn(expression: string, at: number): string {
  return expression.replaceAll("own(row)", `own${at}(row)`);
}

function compile<Row, Out>(
  expression: string,
  fields: readonly Field<unknown>[],
): (row: Row) => Out {
  const own = fields.map((field, at) => [`own${at}`, field.own] as const);
  const given = [...Object.entries(HELPERS), ...own];
  const names = given.map(([name]) => name);
  const values = given.map(([, value]) => value);
  return new Function(...names, `"use strict"; return (row) => ${expression};`)(...values);
}
