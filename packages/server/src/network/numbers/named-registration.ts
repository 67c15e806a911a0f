import {
  type NumberType,
  Problem,
  REGISTRATION_NUMBERS_MAX,
  type RegistrationKind,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { findLinkedNumbers } from "./registration-sql.ts";
import { registrationKindOf } from "./sender.ts";
import {
  type LinkedNumber,
  numbersOnRegistration,
  type RegistrationState,
} from "./sender-state.ts";

/** The registration that a body names, or 400. */
export function requireRegistration(
  registrations: readonly RegistrationState[],
  apiId: string,
  type: NumberType,
): RegistrationState {
  const id = fromApiId("registration", apiId);
  const found = registrations.find((registration) => registration.id === id);
  if (found && found.kind !== registrationKindOf(type)) throw otherKind(found.kind, type);
  if (found) return found;
  throw new Problem(
    "unknown_registration",
    `There is no registration ${apiId.slice(0, 64)} for live numbers. Use the id of one that was submitted with a live key.`,
    { param: "registration_id" },
  );
}

function otherKind(kind: RegistrationKind, type: NumberType): Problem {
  const needed = registrationKindOf(type);
  const numbers = type === "toll_free" ? "A toll-free number" : "A local number";
  return new Problem(
    "number_not_registerable",
    `${numbers} takes a registration of kind ${needed}, and this one is of kind ${kind}. Use another one.`,
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
