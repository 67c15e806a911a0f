/** Owners whose load is within this factor of the mean keep their classes: each move costs a few lock waits. */
const TOLERATED = 1.2;
/** Moves per call; more wait for the next one. */
const MOVES_MAX = 64;

/**
 * Moves classes from the busiest members to the idlest ones. `owners` has the member of each class, `loads` its items
 * since the last call or so. Returns null when nothing is worth a move.
 */
export function rebalanced(
  owners: readonly string[],
  memberIds: readonly string[],
  loads: readonly number[],
): string[] | null {
  const after = [...owners];
  const totals = new Map(memberIds.map((id) => [id, 0]));
  after.forEach((id, index) => {
    totals.set(id, (totals.get(id) ?? 0) + (loads[index] ?? 0));
  });
  const mean = loads.reduce((sum, load) => sum + load, 0) / memberIds.length;
  let hasMoved = false;
  for (let moves = 0; moves < MOVES_MAX; moves += 1) {
    const sorted = [...totals].sort((a, b) => a[1] - b[1]);
    const [idlest, busiest] = [sorted[0], sorted.at(-1)];
    if (!idlest || !busiest || busiest[1] <= mean * TOLERATED) break;
    const moving = classToMove(after, loads, busiest[0], busiest[1] - idlest[1]);
    if (moving === null) break;
    after[moving] = idlest[0];
    const load = loads[moving] ?? 0;
    totals.set(busiest[0], busiest[1] - load);
    totals.set(idlest[0], idlest[1] + load);
    hasMoved = true;
  }
  return hasMoved ? after : null;
}

/** The class whose move closes the gap best; null if each would only turn it round. */
function classToMove(
  owners: readonly string[],
  loads: readonly number[],
  from: string,
  gap: number,
): number | null {
  let best: number | null = null;
  let bestLeft = gap;
  owners.forEach((id, index) => {
    const left = Math.abs(gap - 2 * (loads[index] ?? 0));
    if (id !== from || left >= bestLeft) return;
    best = index;
    bestLeft = left;
  });
  return best;
}
