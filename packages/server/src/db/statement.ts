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
