import type { Step } from "../../db/database.ts";
import { addCounts } from "../sql.ts";
import { SLICE_COLUMNS, type WrittenSlice } from "../written-columns.ts";
import { HOUR_MS } from "./counted-keys.ts";
import type { CounterBook, CountsOwner } from "./counter-book.ts";

/** What an hour of an account came to. */
export interface HourCounts {
  readonly started: number;
  readonly sent: number;
  readonly approved: number;
  readonly blocked: number;
  /** Of those started and approved, the ones that conversion is judged by. */
  readonly judged: number;
  readonly answered: number;
}

const NO_COUNTS: HourCounts = {
  started: 0,
  sent: 0,
  approved: 0,
  blocked: 0,
  judged: 0,
  answered: 0,
};

/** What a group adds to the hours of its accounts. */
export interface HourBook {
  add(owner: CountsOwner, more: Partial<HourCounts>): void;
  rows(nowMs: number): object[];
}

export function createHourBook(): HourBook {
  const hours = new Map<string, { owner: CountsOwner; counts: HourCounts }>();
  return {
    add(owner, more) {
      const counts = hours.get(owner.key)?.counts ?? NO_COUNTS;
      const sum = {
        started: counts.started + (more.started ?? 0),
        sent: counts.sent + (more.sent ?? 0),
        approved: counts.approved + (more.approved ?? 0),
        blocked: counts.blocked + (more.blocked ?? 0),
        judged: counts.judged + (more.judged ?? 0),
        answered: counts.answered + (more.answered ?? 0),
      };
      hours.set(owner.key, { owner, counts: sum });
    },
    rows: (nowMs) =>
      [...hours.values()].map(({ owner, counts }) => ({
        account_id: owner.accountId,
        mode: owner.mode,
        hour: new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS).toISOString(),
        ...counts,
      })),
  };
}

/** Writes what the books of a group's accounts have to add. */
export function countsStep(
  shard: number,
  books: readonly { readonly owner: CountsOwner; readonly book: CounterBook }[],
  hours: HourBook,
  nowMs: number,
): Step {
  const slices: WrittenSlice[] = [];
  for (const { owner, book } of books) {
    for (const slice of book.added()) slices.push({ owner, slice });
  }
  const columns = SLICE_COLUMNS.map((column) => column.textOf(slices));
  const values = [shard, JSON.stringify(hours.rows(nowMs)), ...columns];
  return { statement: addCounts, values };
}
