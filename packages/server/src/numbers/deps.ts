import type { Base } from "../base.ts";
import type { CustomersDeps } from "../customers/deps.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import type { NumberDirectory } from "./directory.ts";
import type { RegistrationStanding } from "./follow-registrations.ts";

export interface NumbersDeps extends CustomersDeps {
  /** Who owns which number, and who sends next from a pool. */
  readonly numbers: NumberDirectory;
}

/** What buying and linking numbers ask of registrations, handed in where all is assembled. */
export interface NumberHandlersDeps extends Base {
  /** How the registrations of an account stand, newest first. */
  readonly registrationStandings: (
    db: Queryable,
    account: AccountRef,
  ) => Promise<readonly RegistrationStanding[]>;
}
