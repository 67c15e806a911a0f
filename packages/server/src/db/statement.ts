import type { Move } from "@longwave/contract";

/**
 * A named SQL statement. Names make prepared statements; the registry lets a test look at every
 * statement of the server at once.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Why this one may read account-owned tables without naming a shard. */
  readonly acrossShards?: string;
  /** The moves of state machines that it makes: a test compares them with its text. */
  readonly moves?: readonly Move[];
}

const REGISTRY = new Map<string, Statement>();

export function statement(
  name: string,
  text: string,
  options: Pick<Statement, "acrossShards" | "moves"> = {},
): Statement {
  if (REGISTRY.has(name)) throw new Error(`Two statements are named ${name}.`);
  const made: Statement = { name, text, ...options };
  REGISTRY.set(name, made);
  return made;
}

/** Every statement defined by the modules loaded so far. */
export function allStatements(): readonly Statement[] {
  return [...REGISTRY.values()];
}
