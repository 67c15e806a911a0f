import { Problem } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { NumberHandlersDeps } from "./deps.ts";
import { lockNumber, numberOf } from "./find.ts";
import { followRegistrations } from "./follow-registrations.ts";
import { lockSenderStates } from "./move-senders.ts";
import { requireRegistration, requireRoom } from "./named-registration.ts";
import { type NumberRow, presentNumber } from "./number-row.ts";
import { type Changer, recordNumber } from "./purchase.ts";
import { tieNumber } from "./registration-sql.ts";
import { isRegisterable } from "./sender.ts";
import type { RegistrationState } from "./sender-state.ts";

/** Ties a number to a registration. It stays tied whatever else the account registers. */
export async function linkNumber(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRow,
  phone: string,
  registrationId: string,
  changer: Changer,
) {
  await lockSenderStates(tx, account);
  const row = await lockNumber(tx, account, phone);
  if (!isRegisterable(deps.config.tollFree, row.mode, row.type, row.country)) {
    throw new Problem("number_not_registerable", `${row.phone_number} cannot be registered.`);
  }
  const registrations = await deps.registrationStates(tx, account);
  const registration = requireRegistration(registrations, registrationId, row.type);
  await requireRoom(tx, account, registrations, registration, row.id);
  requireNoConflict(row, registration);
  await tx.query(tieNumber, [row.id, registration.id]);
  await followRegistrations(deps, tx, account, registrations);
  await recordNumber(deps, tx, row, "number.registered", changer, {
    registration_id: registrationId,
  });
  const after = await numberOf(tx, account, phone);
  return presentNumber(deps, after, after.pools);
}

function requireNoConflict(row: NumberRow, registration: RegistrationState): void {
  const isActiveUnderAnother =
    row.sender_state === "active" &&
    row.vouched_at === null &&
    row.registration_id !== registration.id;
  if (!isActiveUnderAnother || registration.status === "approved") return;
  throw new Problem(
    "number_conflict",
    `${row.phone_number} is active under another registration, and this one is ${registration.status}. Link it once this one is approved.`,
  );
}
