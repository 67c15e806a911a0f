import type { Mode } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { isRetryable } from "../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../core/db/driver/group.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { GroupMeter } from "../../core/platform/metrics.ts";
import { chooseMembers } from "./sql.ts";

/** A recipient that needs a pool member, and the candidate for it. */
export interface Choice {
  readonly shard: number;
  readonly accountId: string;
  readonly poolId: string;
  readonly mode: Mode;
  readonly recipient: string;
  readonly candidateId: string;
}

const CHOICES_PER_WRITE_MAX = 1_000;
const CHOICES_WAITING_MAX = 20_000;

/**
 * Finds or stores the choices of many recipients in one statement. Resolves with the number's id.
 * Null means that the candidate is no longer a member, or that another process chose meanwhile: ask
 * again.
 */
export function createChoiceWriter(
  db: Database,
  clock: Clock,
  meter: GroupMeter,
): Group<Choice, string | null> {
  return createGroup<Choice, string | null>({
    meter,
    itemsPerWriteMax: CHOICES_PER_WRITE_MAX,
    itemsWaitingMax: CHOICES_WAITING_MAX,
    // Two processes that replace the same rows in different orders can deadlock. The group then
    // bisects down to single rows, which cannot.
    isItemFault: isRetryable,
    write: async (items) => {
      const chosen = new Map<string, string>();
      for (const shard of new Set(items.map((item) => item.shard))) {
        await writeShard(
          db,
          clock,
          shard,
          items.filter((item) => item.shard === shard),
          chosen,
        );
      }
      return items.map((item) => chosen.get(keyOf(item)) ?? null);
    },
  });
}

async function writeShard(
  db: Database,
  clock: Clock,
  shard: number,
  items: readonly Choice[],
  chosen: Map<string, string>,
): Promise<void> {
  // A statement must not update a row twice, so the first item of a recipient stands for all.
  const byKey = new Map<string, Choice>();
  for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item);
  const unique = [...byKey.values()];
  const given = unique.map((item, ord) => ({
    ord,
    account_id: item.accountId,
    pool_id: item.poolId,
    mode: item.mode,
    recipient: item.recipient,
    number_id: item.candidateId,
  }));
  const rows = await db.query<{ ord: number; number_id: string | null }>(chooseMembers, [
    shard,
    [...new Set(unique.map((item) => item.accountId))],
    JSON.stringify(given),
    new Date(clock.now()),
  ]);
  for (const row of rows) {
    const item = unique[row.ord];
    if (item && row.number_id !== null) chosen.set(keyOf(item), row.number_id);
  }
}

function keyOf(item: Choice): string {
  return `${item.poolId} ${item.mode} ${item.recipient}`;
}
