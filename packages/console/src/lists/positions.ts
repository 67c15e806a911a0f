/** How far a list was read. */
interface Position {
  readonly cursors: readonly (string | undefined)[];
  /** Index of the first row in view. */
  readonly topIndex: number;
}

const POSITIONS_MAX = 50;
const positions = new Map<string, Position>();

/**
 * A list in the present history entry: the same address opened anew starts at its top. null for an
 * entry that is not the router's, which has no key.
 */
function nameOf(key: string): string | null {
  const state = history.state as { __TSR_key?: string } | null;
  return state?.__TSR_key === undefined ? null : `${state.__TSR_key} ${key}`;
}

/** Position at which the reader left this list, for Back. */
export function positionOf(key: string): Position | null {
  const name = nameOf(key);
  return name === null ? null : (positions.get(name) ?? null);
}

export function notePosition(key: string, position: Position): void {
  const name = nameOf(key);
  if (name === null) return;
  positions.delete(name);
  positions.set(name, position);
  const [oldest] = positions.keys();
  if (positions.size > POSITIONS_MAX && oldest !== undefined) positions.delete(oldest);
}
