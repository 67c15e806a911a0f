import type { Move } from "@longwave/contract";
import type { Profile } from "./profiles.ts";

/**
 * A named SQL statement. Names make prepared statements; the registry lets a test look at every
 * statement of the server at once.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** What asks the same of a distributed database (Citus), where that cannot run the text itself. */
  readonly onCitus?: string;
  /** Why this one may read account-owned tables without naming a shard. */
  readonly acrossShards?: string;
  /** The moves of state machines that it makes: a test compares them with its text. */
  readonly moves?: readonly Move[];
  /** Where it runs when it runs by itself; `requests` when left out. */
  readonly profile?: Profile;
  /**
   * Which of its values names the accounts (one, or several) that have new events once it is committed:
   * whoever waits for those is told then.
   */
  readonly tellsAt?: number;
  /** Put together for one call, so that its name says what it is for and not which text it has. */
  readonly isComposed?: true;
}

export type StatementOptions = Pick<
  Statement,
  "acrossShards" | "moves" | "onCitus" | "profile" | "tellsAt"
>;

/** A statement with its values: what a transaction sent as a whole is made of. */
export interface Step {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** A statement and its values, given together or apart. */
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

/** What those who wait hear of once the steps are committed: channel and payload of each. */
export function heardOf(steps: readonly Step[]): [channel: string, payload: string][] {
  return steps.flatMap(({ statement: { tellsAt, name }, values }): [string, string][] => {
    if (name === NOTIFY.name) return [[String(values[0]), String(values[1])]];
    if (tellsAt === undefined) return [];
    const accounts = values[tellsAt] as string | readonly string[];
    return [accounts].flat().map((account) => ["longwave_events", account]);
  });
}

/** Sends a hint to all processes; in a transaction it leaves with the commit. */
export const NOTIFY = statement("notify", "select pg_notify($1, $2)");

/**
 * A function that lives in the database: several small statements that one call runs where the rows
 * are. A migration installs it, with its version in its name, so that two releases can run side by
 * side: whoever changes one gives it a new name, in a new migration. Its first parameter is the shard,
 * which its text calls $1, as statements do.
 */
export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** What the migration runs. */
  readonly text: string;
  /** The moves of state machines that it makes: a test compares them with its text. */
  readonly moves: readonly Move[];
  /** What calls it. */
  readonly call: Statement;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
}

interface Definition {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The columns of the one row that it answers; none: nothing. */
  readonly answers?: readonly Parameter[];
  /** From `declare` or `begin` to `end`, in PL/pgSQL. Columns win over parameters of the same name. */
  readonly body: string;
  readonly moves?: readonly Move[];
  /** Whether it tells of what it does to the accounts in its parameter `accounts`. */
  readonly tells?: true;
}

export const SHARD: Parameter = { name: "of_shard", type: "integer" };

export function sqlFunction(definition: Definition): SqlFunction {
  const { name, parameters, answers = [], body, moves = [], tells } = definition;
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
  const tellsAt = parameters.findIndex((one) => one.name === "accounts");
  const call = statement(
    `call_${name}`,
    `select * from ${name}(${values.join(", ")})`,
    tells ? { tellsAt } : {},
  );
  return { name, parameters, text, moves, call };
}

/**
 * Groups as columns, each an array in the text that PostgreSQL reads. What is null for every item is
 * an empty array: past its end an array reads as null too, and most columns of most groups are.
 */
export interface Column<Item> extends Parameter {
  readonly textOf: (items: readonly Item[]) => string;
}

type Plain = string | number | boolean | null;

interface ColumnKinds<Item> {
  /** Ids, words, numbers and truth values: nothing that would need an escape. */
  plain(name: string, type: string, read: (item: Item) => Plain): Column<Item>;
  /** Texts of any kind. */
  text(name: string, read: (item: Item) => string | null): Column<Item>;
  /** Texts without a line break, all in one, a line each: nothing in them is escaped. */
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

/** A group as rows of a statement, whose columns are its parameters from $`first` on. */
export function rowsOf(columns: readonly Parameter[], first: number, alias: string): string {
  const values = columns.map(({ type }, index) => `$${first + index}::${type}`);
  return `unnest(${values.join(", ")}) as ${alias} (${columns.map(({ name }) => name).join(", ")})`;
}

function arrayText<Item>(items: readonly Item[], read: (item: Item) => Plain): string {
  // Most columns of most groups are null from end to end: those cost one look at each item.
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
