import { microsToUsd, Problem } from "@longwave/contract";
import {
  type MoneyRefusal,
  overSpendLimit,
  release,
  reserve,
  settle,
} from "../../account/billing/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { addMonths, dayOf } from "../../core/platform/clock.ts";
import { monthMicros, type NumberRow } from "./number-row.ts";

/**
 * End of the month that begins at `paidUntilMs`. Counts from the purchase, so that no day is lost.
 */
export function endOfNextMonth(purchasedAtMs: number, paidUntilMs: number): number {
  return addMonths(purchasedAtMs, monthsOf(paidUntilMs) - monthsOf(purchasedAtMs) + 1);
}

function monthsOf(ms: number): number {
  const moment = new Date(ms);
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
}

/** Debits a further month, regardless of the spend limit. False when the balance is too low. */
export async function payMonth(
  deps: Base,
  tx: Tx,
  row: NumberRow,
  startsAtMs: number,
): Promise<boolean> {
  return (await takeMonth(deps, tx, row, startsAtMs, null)) === null;
}

async function takeMonth(
  deps: Base,
  tx: Tx,
  row: NumberRow,
  startsAtMs: number,
  limitedAtMs: number | null,
): Promise<MoneyRefusal | null> {
  const owner = { shard: row.shard, accountId: row.account_id };
  const price = monthMicros(deps, row);
  if (price === 0) return null;
  const refusal = await reserve(tx, owner, price, limitedAtMs);
  if (refusal !== null) return refusal;
  const settled = await settle(deps, tx, owner, {
    kind: "number_month",
    objectId: row.id,
    period: dayOf(startsAtMs),
    amountMicros: -price,
    note: row.phone_number,
  });
  // This month is in the ledger already: release the reservation.
  if (!settled) await release(tx, owner, price);
  return null;
}

export async function payFirstMonth(deps: Base, tx: Tx, row: NumberRow): Promise<void> {
  const now = deps.clock.now();
  const refusal = await takeMonth(deps, tx, row, row.purchased_at, now);
  if (refusal === null) return;
  if (refusal === "spend_limit_reached") {
    throw overSpendLimit("The first month of this number", now);
  }
  throw new Problem(
    "insufficient_credits",
    `A live number costs ${microsToUsd(monthMicros(deps, row))} USD a month, and the balance does not cover it. Ask the operator for credit; nothing was bought.`,
  );
}
