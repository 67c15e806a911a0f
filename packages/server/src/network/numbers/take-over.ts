import { Problem, parseTextable } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { append } from "../../events/log/index.ts";
import { chargeOrRelease } from "./charge-lane.ts";
import type { NumberHandlersDeps } from "./deps.ts";
import { numberOf } from "./find.ts";
import type { NumberRow } from "./number-row.ts";
import { findLiveHolder } from "./port-in.ts";
import {
  type Changer,
  followRegistration,
  insertOwned,
  isRegisterableHere,
  numberEvent,
  ownerOf,
  recordNumber,
  regionsOf,
  type Stock,
  senderStatesFor,
  stockOf,
} from "./purchase.ts";
import { storeVouch } from "./registration-sql.ts";
import { takePortedFromStock } from "./sql.ts";

export interface TakeOver {
  readonly phone: string;
  /** Carrier that holds the number. */
  readonly carrier: string;
  /** Campaign or verification at the provider. */
  readonly reference: string;
  readonly changer: Changer;
}

/**
 * Adds a number that a provider holds to the account as a live number. The operator vouches for one
 * that needs a registration, because it is registered at the provider. A number that the account
 * holds stays as it is.
 */
export async function takeOver(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRow,
  { phone, carrier, reference, changer }: TakeOver,
): Promise<{ row: NumberRow; isNew: boolean }> {
  const parsed = parseTextable(phone, regionsOf(deps));
  const param = "phone_numbers";
  if (!parsed.ok) throw new Problem("invalid_request", parsed.reason, { param });
  const holder = await findLiveHolder(tx, parsed.e164);
  if (holder === account.id) {
    return { row: await numberOf(tx, account, parsed.e164), isNew: false };
  }
  if (holder !== null) {
    const message = `${parsed.e164} is a live number of another account. Release it there first.`;
    throw new Problem("number_unavailable", message, { param });
  }
  if (parsed.type === "test") {
    const message = `${parsed.e164} is a sandbox number, which no provider has.`;
    throw new Problem("number_unavailable", message, { param });
  }
  const registrations = isRegisterableHere(deps, "live", parsed)
    ? await senderStatesFor(deps, tx, account, stockOf(parsed).type, {})
    : null;
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  const [stocked] = await tx.query<Stock>(takePortedFromStock, [parsed.e164, id]);
  const owned = await insertOwned(deps, tx, account, {
    id,
    mode: "live",
    phone: parsed.e164,
    stock: stocked ?? stockOf(parsed),
    customer: null,
    paidUntilMs: now,
  });
  await chargeOrRelease(deps, tx, owned);
  if (registrations !== null) {
    await tx.query(storeVouch, [id, `Registered at ${carrier}`, reference, new Date(now)]);
  }
  const row =
    registrations === null
      ? owned
      : await followRegistration(deps, tx, account, owned, registrations);
  await append(deps, tx, ownerOf(row), [numberEvent("number.purchased", row)]);
  const changes = { carrier, reference, sender_state: row.sender_state };
  await recordNumber(deps, tx, row, "number.taken_over", changer, changes);
  await notify(tx, "longwave_cache", row.account_id);
  return { row, isNew: true };
}
