/**
 * Keeps decided requests in their places: otherwise the next one would slide under the pointer. New
 * requests come last.
 */
export function inPlace<T extends { readonly id: string }>(
  shown: readonly T[],
  waiting: readonly T[],
  decided: readonly T[],
): readonly T[] {
  const now = new Map([...waiting, ...decided].map((row) => [row.id, row]));
  const kept = shown.flatMap(({ id }) => now.get(id) ?? []);
  const keptIds = new Set(kept.map(({ id }) => id));
  return [...kept, ...waiting.filter(({ id }) => !keptIds.has(id))];
}
