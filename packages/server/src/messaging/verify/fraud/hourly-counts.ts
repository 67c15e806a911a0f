import type { Step } from "../../../core/db/driver/database.ts";
import { type CounterSliceRow, SLICE_COLUMNS } from "../array-columns.ts";
import { addCounts } from "../sql.ts";
import { HOUR_MS } from "./counter-keys.ts";
import type { CountsOwner, VelocityCounters } from "./velocity-counters.ts";

/** Verification counts of one account, mode and hour. */
export interface HourCounts {
  readonly started: number;
  readonly sent: number;
  readonly approved: number;
  readonly blocked: number;
  /** `scored` of `started` and `answered` of `approved` enter the conversion rule; test numbers do not. */
  readonly scored: number;
  readonly answered: number;
}

const NO_COUNTS: HourCounts = {
  started: 0,
  sent: 0,
  approved: 0,
  blocked: 0,
  scored: 0,
  answered: 0,
};

/** Collects the hourly counts that a group adds for its accounts. */
export interface HourlyCounts {
  add(owner: CountsOwner, more: Partial<HourCounts>): void;
  jsonRows(nowMs: number): object[];
}

export function createHourlyCounts(): HourlyCounts {
  const hours = new Map<string, { owner: CountsOwner; counts: HourCounts }>();
  return {
    add(owner, more) {
      const counts = hours.get(owner.key)?.counts ?? NO_COUNTS;
      const sum = {
        started: counts.started + (more.started ?? 0),
        sent: counts.sent + (more.sent ?? 0),
        approved: counts.approved + (more.approved ?? 0),
        blocked: counts.blocked + (more.blocked ?? 0),
        scored: counts.scored + (more.scored ?? 0),
        answered: counts.answered + (more.answered ?? 0),
      };
      hours.set(owner.key, { owner, counts: sum });
    },
    jsonRows: (nowMs) =>
      [...hours.values()].map(({ owner, counts }) => ({
        account_id: owner.accountId,
        mode: owner.mode,
        hour: new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS).toISOString(),
        ...counts,
      })),
  };
}

/** Statement that adds a group's counter slices and hourly counts. */
export function countsStep(
  shard: number,
  owners: readonly { readonly owner: CountsOwner; readonly counters: VelocityCounters }[],
  hours: HourlyCounts,
  nowMs: number,
): Step {
  const slices: CounterSliceRow[] = [];
  for (const { owner, counters } of owners) {
    for (const slice of counters.addedSlices()) slices.push({ owner, slice });
  }
  const columns = SLICE_COLUMNS.map((column) => column.textOf(slices));
  const values = [shard, JSON.stringify(hours.jsonRows(nowMs)), ...columns];
  return { statement: addCounts, values };
}
