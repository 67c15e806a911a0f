import { DEGRADED_MESSAGES_MIN, DEGRADED_QUIET_HOURS } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { append } from "../../events/log/index.ts";
import { type Drop, dropsAmong, edgesAt, type Slice } from "./drops.ts";
import { HOUR_MS } from "./read.ts";
import { splitHourAt } from "./split-hour.ts";
import { findBusy, readAlarms, readHours, recordAlarm } from "./sql.ts";
import type { Outcomes } from "./tally.ts";

const WATCH_EVERY_SECONDS = 60;
const ACCOUNTS_PER_READ_MAX = 200;
const MINUTE_MS = 60_000;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** Row of `delivery_hours`: one hour of one number and carrier. */
interface HourRow extends Outcomes {
  readonly hour: number;
  readonly number: string;
  readonly carrier: string;
}

interface Busy {
  readonly shard: number;
  readonly account_id: string;
}

/** Sandbox traffic has the outcomes that its sender asked for, so nothing about it can degrade. */
const MODE = "live";

/**
 * Emits `deliverability.degraded` to accounts whose delivery rate of live messages dropped against the
 * day before.
 */
export const watchDeliverability: PeriodicTask = {
  name: "deliverability.watch",
  everySeconds: WATCH_EVERY_SECONDS,
  async run(deps, signal) {
    for (let shard = 0; shard < deps.shards; shard += 1) {
      let after = NIL_UUID;
      for (;;) {
        const found = await busyAfter(deps, shard, after);
        for (const one of found) {
          if (signal.aborted) return;
          await reportDrops(deps, { ...one, shard });
        }
        const last = found.at(-1);
        if (!last || found.length < ACCOUNTS_PER_READ_MAX) break;
        after = last.account_id;
      }
    }
  },
};

function busyAfter(deps: Base, shard: number, after: string): Promise<Busy[]> {
  const since = new Date(hourOf(deps.clock.now()) - HOUR_MS);
  return deps.db.query<Busy>(findBusy, [
    shard,
    since,
    DEGRADED_MESSAGES_MIN,
    MODE,
    after,
    ACCOUNTS_PER_READ_MAX,
  ]);
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;

async function reportDrops(deps: Base, busy: Busy): Promise<void> {
  const now = deps.clock.now();
  const drops = await findDrops(deps, busy, now);
  if (drops.length === 0) return;
  const { shard, account_id } = busy;
  const owner = { shard, accountId: account_id };
  await deps.db.tx(async (tx) => {
    for (const drop of drops) {
      const value = drop.value ?? "";
      const values = [shard, account_id, MODE, drop.scope, value, new Date(now), quietSince(now)];
      const recorded = await tx.query(recordAlarm, values);
      if (recorded.length === 0) continue;
      const data = {
        scope: drop.scope,
        value: drop.value,
        rate: drop.rate,
        baseline_rate: drop.baselineRate,
        messages: drop.messages,
        window_minutes: HOUR_MS / MINUTE_MS,
      };
      await append(deps, tx, owner, [{ type: "deliverability.degraded", mode: MODE, data }]);
    }
  });
}

const quietSince = (now: number) => new Date(now - DEGRADED_QUIET_HOURS * HOUR_MS);

/**
 * Finds the drops to report. Whole hours show only whether a rate can have dropped. If it can, reading messages
 * splits the hour at the start of the last hour, then the hour at the start of the day before.
 */
async function findDrops(deps: Base, busy: Busy, now: number): Promise<Drop[]> {
  const { shard, account_id } = busy;
  const { recentFrom, dayFrom } = edgesAt(now);
  const values = [shard, account_id, MODE];
  const hours = await deps.db.query<HourRow>(readHours, [...values, new Date(hourOf(dayFrom))]);
  let slices: Slice[] = hours.map(({ hour, ...row }) => ({
    ...row,
    startsAt: hour,
    endsAt: hour + HOUR_MS,
  }));
  if (dropsAmong(slices, now).length === 0) return [];
  const reported = await deps.db.query<{ scope: string; value: string }>(readAlarms, [
    ...values,
    quietSince(now),
  ]);
  const isNews = (drop: Drop) =>
    !reported.some(({ scope, value }) => scope === drop.scope && value === (drop.value ?? ""));
  for (const edge of [recentFrom, dayFrom]) {
    if (!dropsAmong(slices, now).some(isNews)) return [];
    slices = await splitHourAt(deps, { ...busy, mode: MODE }, slices, edge);
  }
  return dropsAmong(slices, now).filter(isNews);
}
