import {
  DEGRADED_MESSAGES_MIN,
  DEGRADED_POINTS_MIN,
  DEGRADED_QUIET_HOURS,
  type DeliverabilityScope,
  type Mode,
} from "@longwave/contract";
import type { Base } from "../base.ts";
import { append } from "../events/index.ts";
import type { PeriodicTask } from "../queue/periodic.ts";
import { HOUR_MS } from "./read.ts";
import { findBusy, noteAlarm, readHours } from "./sql.ts";
import { addTo, decidedOf, emptyTally, rateOf, type Tally } from "./tally.ts";

const WATCH_EVERY_SECONDS = 60;
const ACCOUNTS_PER_LOOK_MAX = 200;
const BASELINE_HOURS = 24;
const MINUTE_MS = 60_000;
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** What dropped: all traffic, or that of one carrier or number. */
interface Drop {
  readonly scope: DeliverabilityScope;
  readonly value: string | null;
  readonly rate: number;
  readonly baselineRate: number;
  readonly messages: number;
  readonly windowMinutes: number;
}

/** One hour of one number and carrier, as its table keeps it. */
interface HourRow extends Tally {
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

async function judge(deps: Base, { shard, account_id, mode }: Busy): Promise<void> {
  const now = deps.clock.now();
  const since = new Date(hourOf(now) - (BASELINE_HOURS + 1) * HOUR_MS);
  const rows = await deps.db.query<HourRow>(readHours, [shard, account_id, mode, since]);
  const drops = dropsAmong(rows, now);
  if (drops.length === 0) return;
  const owner = { shard, accountId: account_id };
  await deps.db.tx(async (tx) => {
    const quietSince = new Date(now - DEGRADED_QUIET_HOURS * HOUR_MS);
    for (const drop of drops) {
      const value = drop.value ?? "";
      const values = [shard, account_id, mode, drop.scope, value, new Date(now), quietSince];
      const noted = await tx.query(noteAlarm, values);
      if (noted.length === 0) continue;
      const data = {
        scope: drop.scope,
        value: drop.value,
        rate: drop.rate,
        baseline_rate: drop.baselineRate,
        messages: drop.messages,
        window_minutes: drop.windowMinutes,
      };
      await append(deps, tx, owner, [{ type: "deliverability.degraded", data }]);
    }
  });
}

/** Every scope of an account whose rate dropped. The sandbox has no carriers to speak of. */
export function dropsAmong(rows: readonly HourRow[], now: number): Drop[] {
  const carriers = grouped(
    rows.filter((row) => row.carrier !== ""),
    (row) => row.carrier,
  );
  const numbers = grouped(rows, (row) => row.number);
  const drops = [
    dropOf(rows, "all", null, now),
    ...[...carriers].map(([name, own]) => dropOf(own, "carrier", name, now)),
    ...[...numbers].map(([name, own]) => dropOf(own, "number", name, now)),
  ];
  return drops.filter((drop) => drop !== null);
}

function grouped(
  rows: readonly HourRow[],
  keyOf: (row: HourRow) => string,
): Map<string, HourRow[]> {
  const groups = new Map<string, HourRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/**
 * Hours are counted whole, so the last hour is the present one where that has texts enough to judge
 * by, and otherwise the present one with the one before; the 24 hours before that are what it is
 * measured by.
 */
function dropOf(
  rows: readonly HourRow[],
  scope: DeliverabilityScope,
  value: string | null,
  now: number,
): Drop | null {
  for (const startsAt of [hourOf(now), hourOf(now) - HOUR_MS]) {
    const recent = sumOf(rows, startsAt, now + 1);
    const messages = decidedOf(recent);
    if (messages < DEGRADED_MESSAGES_MIN) continue;
    const before = sumOf(rows, startsAt - BASELINE_HOURS * HOUR_MS, startsAt);
    const rate = rateOf(recent);
    const baselineRate = rateOf(before);
    if (rate === null || baselineRate === null) return null;
    // Compared in whole points and a bit: a fraction is not exact.
    if ((baselineRate - rate) * 100 < DEGRADED_POINTS_MIN - 1e-6) return null;
    const windowMinutes = Math.max(1, Math.ceil((now - startsAt) / MINUTE_MS));
    return { scope, value, rate, baselineRate, messages, windowMinutes };
  }
  return null;
}

function sumOf(rows: readonly HourRow[], fromMs: number, beforeMs: number): Tally {
  const tally = emptyTally();
  for (const row of rows) if (row.hour >= fromMs && row.hour < beforeMs) addTo(tally, row);
  return tally;
}
