import { DEGRADED_MESSAGES_MIN, DEGRADED_QUIET_HOURS, type Mode } from "@longwave/contract";
import type { Base } from "../base.ts";
import { append } from "../events/index.ts";
import type { PeriodicTask } from "../queue/periodic.ts";
import { cutAt } from "./cut.ts";
import { type Drop, dropsAmong, edgesAt, type Slice } from "./drops.ts";
import { HOUR_MS } from "./read.ts";
import { findBusy, noteAlarm, readAlarms, readHours } from "./sql.ts";
import type { Outcomes } from "./tally.ts";

const WATCH_EVERY_SECONDS = 60;
const ACCOUNTS_PER_LOOK_MAX = 200;
const MINUTE_MS = 60_000;
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** One hour of one number and carrier, as its table keeps it. */
interface HourRow extends Outcomes {
  readonly hour: number;
  readonly number: string;
  readonly carrier: string;
}

interface Busy {
  readonly shard: number;
  readonly account_id: string;
  readonly mode: Mode;
}

/** Tells accounts of which much less arrives than the day before. */
export const watchDeliverability: PeriodicTask = {
  name: "deliverability.watch",
  everySeconds: WATCH_EVERY_SECONDS,
  async run(deps, signal) {
    for (let shard = 0; shard < deps.shards; shard += 1) {
      let after: Pick<Busy, "account_id" | "mode"> = { account_id: NOBODY, mode: "live" };
      for (;;) {
        const found = await busyAfter(deps, shard, after);
        for (const one of found) {
          if (signal.aborted) return;
          await judge(deps, { ...one, shard });
        }
        const last = found.at(-1);
        if (!last || found.length < ACCOUNTS_PER_LOOK_MAX) break;
        after = last;
      }
    }
  },
};

function busyAfter(
  deps: Base,
  shard: number,
  after: Pick<Busy, "account_id" | "mode">,
): Promise<Busy[]> {
  const since = new Date(hourOf(deps.clock.now()) - HOUR_MS);
  return deps.db.query<Busy>(findBusy, [
    shard,
    since,
    DEGRADED_MESSAGES_MIN,
    after.account_id,
    after.mode,
    ACCOUNTS_PER_LOOK_MAX,
  ]);
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;

async function judge(deps: Base, busy: Busy): Promise<void> {
  const now = deps.clock.now();
  const drops = await findDrops(deps, busy, now);
  if (drops.length === 0) return;
  const { shard, account_id, mode } = busy;
  const owner = { shard, accountId: account_id };
  await deps.db.tx(async (tx) => {
    for (const drop of drops) {
      const value = drop.value ?? "";
      const values = [shard, account_id, mode, drop.scope, value, new Date(now), quietSince(now)];
      const noted = await tx.query(noteAlarm, values);
      if (noted.length === 0) continue;
      const data = {
        scope: drop.scope,
        value: drop.value,
        rate: drop.rate,
        baseline_rate: drop.baselineRate,
        messages: drop.messages,
        window_minutes: HOUR_MS / MINUTE_MS,
      };
      await append(deps, tx, owner, [{ type: "deliverability.degraded", data }]);
    }
  });
}

const quietSince = (now: number) => new Date(now - DEGRADED_QUIET_HOURS * HOUR_MS);

/**
 * What an account is to be told of. Hours are counted whole, and tell only whether anything can have dropped;
 * where it can, the texts themselves say what was sent on which side of the last hour's beginning, and
 * then of the day's before it.
 */
async function findDrops(deps: Base, busy: Busy, now: number): Promise<Drop[]> {
  const { shard, account_id, mode } = busy;
  const { recentFrom, dayFrom } = edgesAt(now);
  const values = [shard, account_id, mode];
  const hours = await deps.db.query<HourRow>(readHours, [...values, new Date(hourOf(dayFrom))]);
  let slices: Slice[] = hours.map(({ hour, ...row }) => ({
    ...row,
    startsAt: hour,
    endsAt: hour + HOUR_MS,
  }));
  if (dropsAmong(slices, now).length === 0) return [];
  const told = await deps.db.query<{ scope: string; value: string }>(readAlarms, [
    ...values,
    quietSince(now),
  ]);
  const isNews = (drop: Drop) =>
    !told.some(({ scope, value }) => scope === drop.scope && value === (drop.value ?? ""));
  for (const edge of [recentFrom, dayFrom]) {
    if (!dropsAmong(slices, now).some(isNews)) return [];
    slices = await cutAt(deps, busy, slices, edge);
  }
  return dropsAmong(slices, now).filter(isNews);
}
