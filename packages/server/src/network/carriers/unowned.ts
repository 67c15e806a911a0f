import type { Step } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { storableText } from "../../core/platform/outside-text.ts";

/** Traffic that a carrier sent for a number it does not serve. */
export interface UnownedItem {
  readonly carrier: string;
  readonly kind: "receipt" | "inbound";
  /** The number as the carrier wrote it; null when unknown. */
  readonly number: string | null;
}

/** Longest stored number; names and short codes are shorter. */
const NUMBER_CHARS_MAX = 40;

// All writers take rows in this order, so that they cannot deadlock.
const countUnowned = statement(
  "count_unowned",
  `insert into carrier_unowned as u (carrier, kind, items, last_at, last_number)
   select g.carrier, g.kind, g.items, $5, g.number
     from unnest($1::text[], $2::text[], $3::int[], $4::text[]) as g (carrier, kind, items, number)
    order by g.carrier, g.kind
   on conflict (carrier, kind) do update
      set items = u.items + excluded.items, last_at = excluded.last_at, last_number = excluded.last_number`,
);

/** Count per carrier and kind, with the last number. */
export interface UnownedCount extends UnownedItem {
  readonly count: number;
}

export function countsOf(items: readonly UnownedItem[]): UnownedCount[] {
  const counts = new Map<string, UnownedCount>();
  for (const item of items) {
    const key = `${item.kind} ${item.carrier}`;
    const number = item.number && storableText(item.number.slice(0, NUMBER_CHARS_MAX));
    counts.set(key, { ...item, number, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** Steps that count unowned items; empty when there are none. */
export function unownedSteps(items: readonly UnownedItem[], nowMs: number): Step[] {
  const counts = countsOf(items);
  if (counts.length === 0) return [];
  const values = [
    counts.map(({ carrier }) => carrier),
    counts.map(({ kind }) => kind),
    counts.map(({ count }) => count),
    counts.map(({ number }) => number),
    new Date(nowMs),
  ];
  return [{ statement: countUnowned, values }];
}

export interface UnownedRow {
  readonly carrier: string;
  readonly kind: "receipt" | "inbound";
  readonly items: number;
  readonly last_at: number;
  readonly last_number: string | null;
}

export const readUnowned = statement(
  "read_unowned",
  `select carrier, kind, items, last_at, last_number from carrier_unowned
    where carrier = any($1::text[])`,
);
