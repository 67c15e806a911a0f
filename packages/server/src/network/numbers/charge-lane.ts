import { NUMBER_UNPAID_DAYS_MAX } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { expect } from "../../core/platform/assert.ts";
import { dueByShard, earliestDue, type Lane, shardsDueNow } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
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

/** Charges the monthly price of live numbers at the end of each paid month. */
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
 * Pays owed months of an account's numbers, oldest debt first, as far as the balance goes. Called
 * when credit arrives, so that it need not wait for the next retry.
 */
export async function collectUnpaid(deps: Base, tx: Tx, account: AccountRef): Promise<void> {
  const values = [account.id, NUMBERS_PER_COLLECTION_MAX];
  for (const row of await tx.query<NumberRow>(claimUnpaidNumbers, values)) {
    if (!(await charge(deps, tx, row))) return;
  }
}

/**
 * Pays the next month. Without credit the month is owed, and the number is released after 30 days.
 */
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

/** Pays the month after the paid one. False when the balance is too low. */
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
