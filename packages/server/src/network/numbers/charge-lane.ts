import { NUMBER_UNPAID_DAYS_MAX } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { expect } from "../platform/assert.ts";
import { dueByShard, earliestDue, type Lane, shardsDueNow } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import { endOfNextMonth, payMonth } from "./month-price.ts";
import type { NumberRow } from "./number-row.ts";
import type { Changer } from "./purchase.ts";
import { releaseNumber } from "./release.ts";
import { claimNumberToCharge, claimUnpaidNumbers, setNumberPaid, setNumberUnpaid } from "./sql.ts";

const DAY_MS = 86_400_000;
const RETRY_UNPAID_MS = 6 * 3_600_000;
const NUMBERS_PER_COLLECTION_MAX = 1_000;

const SYSTEM: Changer = { actor: { type: "system", id: null, name: "billing" }, ip: null };

const numbersToCharge = dueByShard("numbers_to_charge", {
  table: "numbers",
  dueAt: "charge_at",
  where: "charge_at is not null",
});

/** The monthly price of live numbers, each when its month ends. */
export const numberChargesLane: Lane<Base> = {
  name: LANES.numberCharges,
  nextDueAt: (deps) => earliestDue(deps, numbersToCharge),
  async runDue(deps) {
    for (const shard of await shardsDueNow(deps, numbersToCharge)) {
      const isDone = await deps.db.tx(async (tx) => {
        const values = [shard, new Date(deps.clock.now())];
        const [row] = await tx.query<NumberRow>(claimNumberToCharge, values);
        if (row) await chargeOrRelease(deps, tx, row);
        return row !== undefined;
      });
      if (isDone) return 1;
    }
    return 0;
  },
};

/**
 * Pays what is owed for an account's numbers, the oldest debt first, as far as the balance goes:
 * whoever adds credit does not wait for the next try.
 */
export async function collectUnpaid(deps: Base, tx: Tx, account: AccountRef): Promise<void> {
  const values = [account.id, NUMBERS_PER_COLLECTION_MAX];
  for (const row of await tx.query<NumberRow>(claimUnpaidNumbers, values)) {
    if (!(await charge(deps, tx, row))) return;
  }
}

/** Pays the next month; a number that cannot be paid is owed for, and released after a while. */
export async function chargeOrRelease(deps: Base, tx: Tx, row: NumberRow): Promise<void> {
  if (await charge(deps, tx, row)) return;
  const now = deps.clock.now();
  const releaseAt = paidUntil(row) + NUMBER_UNPAID_DAYS_MAX * DAY_MS;
  if (now >= releaseAt) {
    await releaseNumber(deps, tx, row, SYSTEM, { reason: "unpaid" });
    return;
  }
  const nextTry = new Date(Math.min(now + RETRY_UNPAID_MS, releaseAt));
  await tx.query(setNumberUnpaid, [row.id, nextTry]);
  if (row.unpaid_since === null) await notify(tx, "longwave_cache", row.account_id);
}

/** Pays the month after the one that is paid. False when the balance is too low. */
async function charge(deps: Base, tx: Tx, row: NumberRow): Promise<boolean> {
  const startsAt = paidUntil(row);
  if (!(await payMonth(deps, tx, row, startsAt))) return false;
  await tx.query(setNumberPaid, [row.id, new Date(endOfNextMonth(row.purchased_at, startsAt))]);
  if (row.unpaid_since !== null) await notify(tx, "longwave_cache", row.account_id);
  return true;
}

function paidUntil(row: NumberRow): number {
  return expect(row.paid_until, "a number without a paid month is to be charged");
}
