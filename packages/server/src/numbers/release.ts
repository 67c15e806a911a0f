import type { PhoneNumber } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { notify } from "../db/notifications.ts";
import { append } from "../events/index.ts";
import { expect } from "../platform/assert.ts";
import { type NumberRow, presentNumber } from "./number-row.ts";
import { type Changer, numberEvent, ownerOf, recordNumber } from "./purchase.ts";
import { leavePools, releaseNumberRow, returnToStock } from "./sql.ts";

/** Ends an ownership: the number leaves its pools, and a live one returns to the stock. */
export async function releaseNumber(
  deps: Base,
  tx: Tx,
  row: NumberRow,
  changer: Changer,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<PhoneNumber> {
  const now = new Date(deps.clock.now());
  const [gone] = await tx.query<NumberRow>(releaseNumberRow, [row.id, now]);
  const released = expect(gone, "a locked number was released by another");
  await tx.query(leavePools, [row.shard, row.account_id, row.id]);
  if (row.mode === "live") await tx.query(returnToStock, [row.id, row.phone_number]);
  await append(deps, tx, ownerOf(row), [numberEvent("number.released", released)]);
  await recordNumber(deps, tx, row, "number.released", changer, { mode: row.mode, ...changes });
  await notify(tx, "longwave_cache", row.account_id);
  return presentNumber(released, []);
}
