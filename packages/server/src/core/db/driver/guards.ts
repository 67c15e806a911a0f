import type { Move } from "@longwave/contract";

/**
 * SQL guard of an UPDATE that makes these moves: the column is in a state that they leave. Throws if the moves do not
 * leave the same states.
 */
export function comesFrom(column: string, first: Move, ...others: readonly Move[]): string {
  const differs = others.find((move) => !sameStates(move.from, first.from));
  if (differs) throw new Error(`${first.on} and ${differs.on} do not leave the same states.`);
  return isIn(column, first.from);
}

/** SQL guard of an UPDATE that makes these moves from this one state. */
export function leaves(column: string, state: string, ...moves: readonly Move[]): string {
  const other = moves.find((move) => !move.from.includes(state));
  if (other) throw new Error(`${other.on} does not leave ${state}.`);
  return `${column} = ${sqlLiteral(state)}`;
}

/** SQL condition: going from `before` to `after` is one of these moves. */
export function isMove(before: string, after: string, ...moves: readonly Move[]): string {
  const pairs = moves.flatMap(({ from, to }) =>
    from.map((state) => `(${sqlLiteral(state)}, ${sqlLiteral(to)})`),
  );
  return `(${before}, ${after}) in (${pairs.join(", ")})`;
}

/** SQL condition: the column is in one of these states. */
export function isIn(column: string, states: readonly string[]): string {
  const words = states.map(sqlLiteral);
  return words.length === 1 ? `${column} = ${words[0]}` : `${column} in (${words.join(", ")})`;
}

/** A state as an SQL literal. */
export function sqlLiteral(state: string): string {
  if (!/^[a-z_]+$/.test(state)) throw new Error(`${state} is not a state.`);
  return `'${state}'`;
}

function sameStates(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((state) => b.includes(state));
}
