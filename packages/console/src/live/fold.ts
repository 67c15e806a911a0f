import type { Event } from "@longwave/sdk";

/** Above this many events in one second, lines fold into counts by type. */
const EVENTS_PER_SECOND_SHOWN_MAX = 50;
const ENTRIES_MAX = 200;
const SECOND_CHARS = "2026-01-01T00:00:00".length;

/** A line of the tail: one event, or counts by type of one second. */
export type TailEntry =
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "fold"; readonly second: string; readonly counts: Counts };

export type Counts = Readonly<Record<string, number>>;

/** Adds events to the tail, newest first. `fresh` is oldest first, as the server sends it. */
export function withEvents(
  before: readonly TailEntry[],
  fresh: readonly Event[],
): readonly TailEntry[] {
  const added: TailEntry[] = fresh.toReversed().map((event) => ({ kind: "event", event }));
  const bySecond = new Map<string, TailEntry[]>();
  for (const entry of [...added, ...before]) {
    const second = secondOfEntry(entry);
    const others = bySecond.get(second);
    if (others) others.push(entry);
    else bySecond.set(second, [entry]);
  }
  return [...bySecond]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .flatMap(([second, entries]) => folded(second, entries))
    .slice(0, ENTRIES_MAX);
}

function folded(second: string, entries: readonly TailEntry[]): readonly TailEntry[] {
  const counts: Record<string, number> = {};
  let total = 0;
  for (const entry of entries) {
    const each = entry.kind === "fold" ? entry.counts : { [entry.event.type]: 1 };
    for (const [type, count] of Object.entries(each)) {
      counts[type] = (counts[type] ?? 0) + count;
      total += count;
    }
  }
  if (total <= EVENTS_PER_SECOND_SHOWN_MAX) return entries;
  return [{ kind: "fold", second, counts }];
}

/** Adds events to the counts by type. */
export function withCounts(before: Counts, fresh: readonly Event[]): Counts {
  const counts = { ...before };
  for (const { type } of fresh) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function secondOf(event: Event): string {
  return event.created_at.slice(0, SECOND_CHARS);
}

function secondOfEntry(entry: TailEntry): string {
  return entry.kind === "fold" ? entry.second : secondOf(entry.event);
}

/** "412 events: message.sent 206, message.delivered 206", largest count first. */
export function foldWords(counts: Counts): string {
  const parts = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return parts.map(([type, count]) => `${type} ${count}`).join(", ");
}

export function foldTotal(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
