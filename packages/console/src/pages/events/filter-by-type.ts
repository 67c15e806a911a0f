import type { TailEntry } from "../../live/fold.ts";

/** Keeps the tail's events of one type, and its counts in folded seconds. */
export function filterByType(
  entries: readonly TailEntry[],
  type: string | undefined,
): readonly TailEntry[] {
  if (type === undefined) return entries;
  return entries.flatMap((entry): TailEntry[] => {
    if (entry.kind === "event") return entry.event.type === type ? [entry] : [];
    const count = entry.counts[type];
    return count === undefined ? [] : [{ ...entry, counts: { [type]: count } }];
  });
}
