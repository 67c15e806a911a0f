import type { TailEntry } from "../../live/fold.ts";

/** Of the tail what is of one type; of a folded second, how many of it there were. */
export function ofType(
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
