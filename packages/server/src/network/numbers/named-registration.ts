import { Problem, REGISTRATION_NUMBERS_MAX } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { findLinkedNumbers } from "./registration-sql.ts";
import {
  type LinkedNumber,
  numbersOnRegistration,
  type RegistrationState,
} from "./sender-state.ts";

/** The registration that a body names, or 400. */
export function requireRegistration(
  registrations: readonly RegistrationState[],
  apiId: string,
): RegistrationState {
  const id = fromApiId("registration", apiId);
  const found = registrations.find((registration) => registration.id === id);
  if (found) return found;
  throw new Problem(
    "unknown_registration",
    `There is no registration ${apiId.slice(0, 64)} for live numbers. Use the id of one that was submitted with a live key.`,
    { param: "registration_id" },
  );
}

/**
 * A registration has room for REGISTRATION_NUMBERS_MAX numbers, approved or not. `ownId`: the
 * number itself, which may be counted already.
 */
export async function requireRoom(
  tx: Tx,
  account: AccountRow,
  registrations: readonly RegistrationState[],
  registration: RegistrationState,
  ownId: string | null,
): Promise<void> {
  const numbers = await tx.query<LinkedNumber>(findLinkedNumbers, [account.id]);
  const holders = numbersOnRegistration(numbers, registrations, registration.id);
  if (holders.size < REGISTRATION_NUMBERS_MAX || (ownId !== null && holders.has(ownId))) return;
  throw new Problem(
    "registration_full",
    `The registration holds ${REGISTRATION_NUMBERS_MAX} numbers, which is as many as it can. Use another one, or release a number.`,
    { param: "registration_id" },
  );
}
