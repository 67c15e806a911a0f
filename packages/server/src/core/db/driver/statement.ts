import type { Move } from "@longwave/contract";
import type { Profile } from "./profiles.ts";

/**
 * A named SQL statement. The name is that of the prepared statement; the registry lets tests check every statement of
 * the server.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Equivalent SQL for Citus, if Citus cannot run `text`. */
  readonly onCitus?: string;
  /** Reason why the statement may read account-owned tables without a shard. */
  readonly acrossShards?: string;
  /** State machine moves of the statement: a test compares them with its SQL. */
  readonly moves?: readonly Move[];
  /** Profile for running outside a transaction. Default: `requests`. */
  readonly profile?: Profile;
  /**
   * Index of the value with the accounts (one or several) that have new events after the commit; their event listeners
   * run then.
   */
  readonly accountsParameter?: number;
  /** Composed for one call: the name identifies the purpose, not the SQL. */
  readonly isComposed?: true;
}

export type StatementOptions = Pick<
  Statement,
  "acrossShards" | "moves" | "onCitus" | "profile" | "accountsParameter"
>;

/** A statement with its values, as in a pipelined transaction. */
export interface Step {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Normalises a statement with values, or a step, to a step. */
export function stepOf(used: Statement | Step, values: readonly unknown[] = []): Step {
  return "statement" in used ? used : { statement: used, values };
}

const REGISTRY = new Map<string, Statement>();

export function statement(name: string, text: string, options: StatementOptions = {}): Statement {
  if (REGISTRY.has(name)) throw new Error(`Two statements are named ${name}.`);
  const made: Statement = { name, text, ...options };
  REGISTRY.set(name, made);
  return made;
}

/** Every statement defined by the modules loaded so far. */
export function allStatements(): readonly Statement[] {
  return [...REGISTRY.values()];
}

/** Notifications that a commit of these steps causes: channel and payload. */
export function eventsOf(steps: readonly Step[]): [channel: string, payload: string][] {
  return steps.flatMap(({ statement: { accountsParameter, name }, values }): [string, string][] => {
    if (name === NOTIFY.name) return [[String(values[0]), String(values[1])]];
    if (accountsParameter === undefined) return [];
    const accounts = values[accountsParameter] as string | readonly string[];
    return [accounts].flat().map((account) => ["longwave_events", account]);
  });
}

/** Sends a NOTIFY to all processes; in a transaction it takes effect with the commit. */
export const NOTIFY = statement("notify", "select pg_notify($1, $2)");

/**
 * A PL/pgSQL function: several small statements that one call runs next to the rows. A migration installs it under a
 * versioned name, so that two releases can run side by side; after a release, a change takes a new name and a new
 * migration. The first parameter is the shard, $1 in `text` as in statements.
 */
export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** SQL of the migration. */
  readonly text: string;
  /** State machine moves of the function: a test compares them with its SQL. */
  readonly moves: readonly Move[];
  /** Statement that calls the function. */
  readonly call: Statement;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
}

interface Definition {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Columns of the single result row; none: void. */
  readonly answers?: readonly Parameter[];
  /**
   * From `declare` or `begin` to `end`, in PL/pgSQL. Columns win over parameters of the same name.
   */
  readonly body: string;
  readonly moves?: readonly Move[];
  /** Set when the function appends events for the accounts in its parameter `accounts`. */
  readonly emitsEvents?: true;
}

export const SHARD: Parameter = { name: "of_shard", type: "integer" };

export function sqlFunction(definition: Definition): SqlFunction {
  const { name, parameters, answers = [], body, moves = [], emitsEvents } = definition;
  const given = parameters.map((one) => `${one.name} ${one.type}`);
  const answered = answers.map((one) => `out ${one.name} ${one.type}`);
  const returns = answers.length === 0 ? " returns void" : "";
  const text = `create function ${name}(
  ${[...given, ...answered].join(",\n  ")}
)${returns} language plpgsql as $function$
#variable_conflict use_column
${body.trim()}
$function$;`;
  const values = parameters.map((one, index) => `$${index + 1}::${one.type}`);
  const accountsParameter = parameters.findIndex((one) => one.name === "accounts");
  const call = statement(
    `call_${name}`,
    `select * from ${name}(${values.join(", ")})`,
    emitsEvents ? { accountsParameter } : {},
  );
  return { name, parameters, text, moves, call };
}

/**
 * A parameter that passes one field of all items as an array literal. A column that is null for every item (most are)
 * becomes an empty array: elements past the end read as null.
 */
export interface Column<Item> extends Parameter {
  readonly textOf: (items: readonly Item[]) => string;
}

type Plain = string | number | boolean | null;

interface ColumnKinds<Item> {
  /** Ids, words, numbers and booleans: values that need no escape. */
  plain(name: string, type: string, read: (item: Item) => Plain): Column<Item>;
  /** Any strings. */
  text(name: string, read: (item: Item) => string | null): Column<Item>;
  /** Strings without line breaks, joined by line breaks: no escapes needed. */
  lines(name: string, read: (item: Item) => string | null): Column<Item>;
}

export function columnsOf<Item>(): ColumnKinds<Item> {
  return {
    plain: (name, type, read) => ({
      name,
      type: `${type}[]`,
      textOf: (items) => arrayText(items, read),
    }),
    text: (name, read) => ({
      name,
      type: "text[]",
      textOf: (items) => arrayText(items, (item) => quotedOrNull(read(item))),
    }),
    lines: (name, read) => ({
      name,
      type: "text",
      textOf: (items) => items.map((item) => read(item) ?? "").join("\n"),
    }),
  };
}

/** Rows of a statement from the columns, whose parameters start at $`first`. */
export function rowsOf(columns: readonly Parameter[], first: number, alias: string): string {
  const values = columns.map(({ type }, index) => `$${first + index}::${type}`);
  return `unnest(${values.join(", ")}) as ${alias} (${columns.map(({ name }) => name).join(", ")})`;
}

function arrayText<Item>(items: readonly Item[], read: (item: Item) => Plain): string {
  // Most columns of most groups are all null: skip building them.
  if (items.every((item) => read(item) === null)) return "{}";
  let text = "";
  for (const item of items) text += `,${read(item) ?? "NULL"}`;
  return `{${text.slice(1)}}`;
}

const ESCAPED = /["\\]/g;

function quotedOrNull(value: string | null): string | null {
  if (value === null) return null;
  const isPlain = !value.includes('"') && !value.includes("\\");
  return `"${isPlain ? value : value.replace(ESCAPED, "\\$&")}"`;
}
