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

/** Sums the hourly counts of all accounts over the last `hours`, the present hour included. */
export async function readInstallationTraffic(
  { db, clock, shards }: Pick<Base, "db" | "clock" | "shards">,
  mode: Mode,
  hours: number,
  accountsMax: number,
): Promise<InstallationTraffic> {
  const fromMs = (Math.floor(clock.now() / HOUR_MS) + 1 - hours) * HOUR_MS;
  const byHour = new Map<number, Tally>();
  const accounts: (Tally & { accountId: string })[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    const values = [shard, new Date(fromMs), mode];
    const [sums, busiest] = await Promise.all([
      db.query<Tally & { hour: number }>(sumHoursOfAll, values),
      db.query<Tally & { account_id: string }>(sumAccountsOfAll, [...values, accountsMax]),
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
