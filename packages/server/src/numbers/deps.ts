import type { Base } from "../base.ts";
import type { CustomersDeps } from "../customers/deps.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable, Tx } from "../db/database.ts";
import type { NumberDirectory } from "./directory.ts";
import type { Place } from "./places/place-of.ts";
import type { RegistrationStanding } from "./standing.ts";

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

/** What the operator's stock asks of the numbering data, likewise. */
export interface InventoryDeps extends Base {
  /** Where the ranges of these numbers are, as far as the operator has loaded it. */
  readonly rangePlaces: (phones: readonly string[]) => Promise<ReadonlyMap<string, Place>>;
}

/** What came of asking the registry for a link. */
export type LinkResult =
  | { readonly kind: "linked" }
  /** It will not be linked, however often it is tried. A sentence for the customer. */
  | { readonly kind: "refused"; readonly reason: string }
  /** It was not possible just now. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** What links ask of registrations, likewise. */
export interface NumberLinksDeps extends Base {
  /** How many numbers are linked at the same time. */
  readonly linksAtOnce: number;
  /** Ties a number to an approved registration with the registry. Safe to ask twice. */
  readonly linkSender: (
    account: AccountRef,
    registrationId: string,
    phone: string,
  ) => Promise<LinkResult>;
  /** Unties it. Safe to ask twice; answers why it was not possible just now, or null. */
  readonly unlinkSender: (
    account: AccountRef,
    registrationId: string,
    phone: string,
  ) => Promise<string | null>;
  /** Brings the numbers of an account in line with its registrations. */
  readonly followSenders: (tx: Tx, account: AccountRef) => Promise<void>;
}
