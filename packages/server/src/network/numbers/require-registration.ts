import { Problem, REGISTRATION_NUMBERS_MAX } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import type { Tx } from "../db/database.ts";
import { fromApiId } from "../platform/ids.ts";
import { findFollowers } from "./registration-sql.ts";
import { type Follower, holdersOf, type RegistrationStanding } from "./standing.ts";

/** The registration that a body names, or 400. */
export function requireRegistration(
  registrations: readonly RegistrationStanding[],
  apiId: string,
): RegistrationStanding {
  const id = fromApiId("registration", apiId);
  const found = registrations.find((registration) => registration.id === id);
  if (found) return found;
  throw new Problem("unknown_registration", `There is no registration ${apiId.slice(0, 64)}.`, {
    param: "registration_id",
  });
}

/** A registration holds so many numbers, approved or not; `ownId` may have its place already. */
export async function requireRoom(
  tx: Tx,
  account: AccountRow,
  registrations: readonly RegistrationStanding[],
  registration: RegistrationStanding,
  ownId: string | null,
): Promise<void> {
  const followers = await tx.query<Follower>(findFollowers, [account.id]);
  const holders = holdersOf(followers, registrations, registration.id);
  if (holders.size < REGISTRATION_NUMBERS_MAX || (ownId !== null && holders.has(ownId))) return;
  throw new Problem(
    "registration_full",
    `The registration holds ${REGISTRATION_NUMBERS_MAX} numbers, which is as many as it can. Use another one, or release a number.`,
    { param: "registration_id" },
  );
}
