import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { HOUR_MS } from "./read.ts";
import { sumAccountsOfAll, sumHoursOfAll } from "./sql.ts";
import { addTo, emptyTally, type Tally } from "./tally.ts";

/** Messages of every account of the installation, by hour and by the accounts that send most. */
export interface InstallationTraffic {
  readonly fromMs: number;
  readonly series: readonly (Tally & { readonly hourMs: number })[];
  readonly busiest: readonly (Tally & { readonly accountId: string })[];
}

interface InstallationQuery {
  readonly mode: Mode;
  readonly hours: number;
  readonly accountsMax: number;
  readonly hourMs: number | null;
}

/**
 * Sums the hourly counts of all accounts over the last `hours`, the present hour included. The busiest accounts are
 * those of `hourMs`, or of all these hours.
 */
export async function readInstallationTraffic(
  { db, clock, shards }: Pick<Base, "db" | "clock" | "shards">,
  { mode, hours, accountsMax, hourMs }: InstallationQuery,
): Promise<InstallationTraffic> {
  const untilMs = (Math.floor(clock.now() / HOUR_MS) + 1) * HOUR_MS;
  const fromMs = untilMs - hours * HOUR_MS;
  const busiestFrom = new Date(hourMs ?? fromMs);
  const busiestUntil = new Date(hourMs === null ? untilMs : hourMs + HOUR_MS);
  const byHour = new Map<number, Tally>();
  const accounts: (Tally & { accountId: string })[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    const [sums, busiest] = await Promise.all([
      db.query<Tally & { hour: number }>(sumHoursOfAll, [shard, new Date(fromMs), mode]),
      db.query<Tally & { account_id: string }>(sumAccountsOfAll, [
        ...[shard, busiestFrom, mode, accountsMax, busiestUntil],
      ]),
    ]);
    for (const { hour, ...tally } of sums) {
      const sum = byHour.get(hour) ?? emptyTally();
      addTo(sum, tally);
      byHour.set(hour, sum);
    }
    for (const { account_id: accountId, ...tally } of busiest)
      accounts.push({ accountId, ...tally });
  }
  return {
    fromMs,
    series: Array.from({ length: hours }, (_, index) => {
      const hourMs = fromMs + index * HOUR_MS;
      return { hourMs, ...(byHour.get(hourMs) ?? emptyTally()) };
    }),
    busiest: accounts.sort((a, b) => attempted(b) - attempted(a)).slice(0, accountsMax),
  };
}

/** Messages that left or were refused at once. */
function attempted({ sent, refused }: Tally): number {
  return sent + refused;
}
