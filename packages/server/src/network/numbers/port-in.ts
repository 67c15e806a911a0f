import { POOL_NUMBERS_MAX, Problem, parseTextable } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { chargeOrRelease } from "./charge-lane.ts";
import type { NumberHandlersDeps } from "./deps.ts";
import type { NumberRow } from "./number-row.ts";
import { joinPools } from "./pool-sql.ts";
import {
  type Changer,
  emitPurchase,
  followRegistration,
  insertOwned,
  isRegisterableHere,
  type Stock,
  senderStatesFor,
  stockOf,
} from "./purchase.ts";
import { findLiveSenderRow, takePortedFromStock } from "./sql.ts";

export interface PortedNumber {
  /** In E.164. */
  readonly phone: string;
  /** The pools (UUIDs) that it joins. */
  readonly poolIds: readonly string[];
  readonly changer: Changer;
}

/**
 * Adds a ported number to the account as a live number. The port cannot be refused, as the carriers
 * have completed it: without credit the first month is owed.
 */
export async function portIn(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRow,
  { phone, poolIds, changer }: PortedNumber,
): Promise<NumberRow> {
  const parsed = parseTextable(phone, { extraRegions: deps.extraRegions });
  if (!parsed.ok) throw new Error(parsed.reason);
  if ((await findLiveHolder(tx, phone)) !== null) {
    throw new Problem(
      "number_unavailable",
      `${phone} is a live number of this service already. Release it there first.`,
    );
  }
  const registrations = isRegisterableHere(deps, "live", parsed)
    ? await senderStatesFor(deps, tx, account, stockOf(parsed).type, {})
    : null;
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const [stocked] = await tx.query<Stock>(takePortedFromStock, [phone, id]);
  const stock = stocked ?? stockOf(parsed);
  const input = { id, mode: "live", phone, stock, customer: null, paidUntilMs: now } as const;
  const owned = await insertOwned(deps, tx, account, input);
  await chargeOrRelease(deps, tx, owned);
  if (poolIds.length > 0) {
    await tx.query(joinPools, [account.shard, account.id, poolIds, id, POOL_NUMBERS_MAX]);
  }
  const row =
    registrations === null
      ? owned
      : await followRegistration(deps, tx, account, owned, registrations);
  await emitPurchase(deps, tx, row, changer);
  return row;
}

/** The account (a UUID) that holds a live number, or null. */
export async function findLiveHolder(db: Queryable, phone: string): Promise<string | null> {
  const [row] = await db.query<{ account_id: string }>(findLiveSenderRow, [phone]);
  return row?.account_id ?? null;
}
