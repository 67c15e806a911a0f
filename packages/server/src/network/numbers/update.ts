import type { PhoneNumber } from "@longwave/contract";
import { lockCustomerShared } from "../../account/customers/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { lockOwnNumber } from "./find.ts";
import { presentNumber } from "./number-row.ts";
import { type Changer, recordNumber } from "./purchase.ts";
import { updateNumber } from "./sql.ts";

export interface NumberChanges {
  readonly customer_id: string | null;
  readonly label?: string | null;
  readonly tags?: readonly string[] | null;
}

/** Assigns a number to a customer or unassigns it; sets label and tags where given. */
export async function changeNumber(
  deps: Base,
  tx: Tx,
  caller: ModedCaller,
  id: string,
  wanted: NumberChanges,
  changer: Changer,
): Promise<PhoneNumber> {
  const { account } = caller;
  const before = await lockOwnNumber(tx, caller, id);
  const customer =
    wanted.customer_id === null ? null : await lockCustomerShared(tx, account, wanted.customer_id);
  const after = {
    ...before,
    customer_id: customer?.id ?? null,
    label: wanted.label === undefined ? before.label : wanted.label,
    tags: wanted.tags === undefined ? before.tags : [...new Set(wanted.tags ?? [])],
  };
  const changes: Record<string, unknown> = {};
  if (after.customer_id !== before.customer_id) {
    changes["customer_id"] = {
      from: apiCustomer(before.customer_id),
      to: apiCustomer(after.customer_id),
    };
  }
  if (after.label !== before.label) {
    changes["label"] = { from: before.label, to: after.label };
  }
  if (JSON.stringify(after.tags) !== JSON.stringify(before.tags)) {
    changes["tags"] = { from: before.tags, to: after.tags };
  }
  if (Object.keys(changes).length > 0) {
    await tx.query(updateNumber, [before.id, after.customer_id, after.label, after.tags]);
    await recordNumber(deps, tx, after, "number.updated", changer, changes);
    await notify(tx, "longwave_cache", account.id);
  }
  return presentNumber(deps, after, before.pools);
}

function apiCustomer(id: string | null): string | null {
  return id === null ? null : toApiId("customer", id);
}
