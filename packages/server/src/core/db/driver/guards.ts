import type { Move } from "@longwave/contract";

/**
 * The guard of an update that moves rows: the states that its moves may leave, as the table of the
 * machine has them. A statement that makes one of several moves can be guarded by one fragment only
 * where they all leave the same states.
 */
export function comesFrom(column: string, first: Move, ...others: readonly Move[]): string {
  const differs = others.find((move) => !sameStates(move.from, first.from));
  if (differs) throw new Error(`${first.on} and ${differs.on} do not leave the same states.`);
  return isIn(column, first.from);
}

/** The guard of an update that makes these moves out of one state only. */
export function leaves(column: string, state: string, ...moves: readonly Move[]): string {
  const other = moves.find((move) => !move.from.includes(state));
  if (other) throw new Error(`${other.on} does not leave ${state}.`);
  return `${column} = ${word(state)}`;
}

/** Whether going from what one expression holds to what another holds is one of these moves. */
export function isMove(before: string, after: string, ...moves: readonly Move[]): string {
  const pairs = moves.flatMap(({ from, to }) =>
    from.map((state) => `(${word(state)}, ${word(to)})`),
  );
  return `(${before}, ${after}) in (${pairs.join(", ")})`;
}

/** Whether a column holds one of these states. */
export function isIn(column: string, states: readonly string[]): string {
  const words = states.map(word);
  return words.length === 1 ? `${column} = ${words[0]}` : `${column} in (${words.join(", ")})`;
}

/** A state as SQL writes it. */
export function word(state: string): string {
  if (!/^[a-z_]+$/.test(state)) throw new Error(`${state} is not a state.`);
  return `'${state}'`;
}

function sameStates(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((state) => b.includes(state));
}
