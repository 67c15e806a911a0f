import type { Mode } from "@longwave/contract";
import type { Step } from "../../db/database.ts";
import { addCounts } from "../sql.ts";
import { HOUR_MS } from "./counted-keys.ts";
import type { CounterBook } from "./counter-book.ts";

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

/** Whose counts they are. */
export interface CountsOwner {
  readonly accountId: string;
  readonly mode: Mode;
}

export function ownerKey(owner: CountsOwner): string {
  return `${owner.accountId} ${owner.mode}`;
}

/** What a group adds to the hours of its accounts. */
export interface HourBook {
  add(owner: CountsOwner, more: Partial<HourCounts>): void;
  rows(nowMs: number): object[];
}

export function createHourBook(): HourBook {
  const hours = new Map<string, { owner: CountsOwner; counts: HourCounts }>();
  return {
    add(owner, more) {
      const counts = hours.get(ownerKey(owner))?.counts ?? NO_COUNTS;
      const sum = {
        started: counts.started + (more.started ?? 0),
        sent: counts.sent + (more.sent ?? 0),
        approved: counts.approved + (more.approved ?? 0),
        blocked: counts.blocked + (more.blocked ?? 0),
        judged: counts.judged + (more.judged ?? 0),
        answered: counts.answered + (more.answered ?? 0),
      };
      hours.set(ownerKey(owner), { owner, counts: sum });
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
  const slices = books.flatMap(({ owner, book }) =>
    book.added().map(({ bucketMs, ...slice }) => ({
      account_id: owner.accountId,
      mode: owner.mode,
      bucket: new Date(bucketMs).toISOString(),
      ...slice,
    })),
  );
  const values = [shard, JSON.stringify(slices), JSON.stringify(hours.rows(nowMs))];
  return { statement: addCounts, values };
}
