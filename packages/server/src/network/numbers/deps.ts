import type { CustomersDeps } from "../../account/customers/deps.ts";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { NumberDirectory } from "./directory.ts";
import type { RateCentre } from "./geo/rate-centre-of.ts";
import type { RegistrationState } from "./sender-state.ts";

export interface NumbersDeps extends CustomersDeps {
  /** Cached lookup of numbers and pools. */
  readonly numbers: NumberDirectory;
}

/** Dependencies of number handlers on registrations; composed at startup. */
export interface NumberHandlersDeps extends Base {
  /** Registrations of an account with their states, newest first. */
  readonly registrationStates: (
    db: Queryable,
    account: AccountRef,
  ) => Promise<readonly RegistrationState[]>;
}

/** Dependency of the operator's stock on the numbering data; composed at startup. */
export interface InventoryDeps extends Base {
  /** Rate centres of these numbers by range, as far as the operator has loaded numbering data. */
  readonly rangeRateCentres: (
    phones: readonly string[],
  ) => Promise<ReadonlyMap<string, RateCentre>>;
}

/** Outcome of asking the registry to link a number. */
export type LinkResult =
  | { readonly kind: "linked" }
  /** The registry works on it, which may take days; ask again. */
  | { readonly kind: "pending"; readonly reason: string }
  /** Refused for good, with a sentence for the customer. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The registry cannot be reached now; retry later. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** Dependencies of links on registrations; composed at startup. */
export interface NumberLinksDeps extends Base {
  /** Numbers linked concurrently. */
  readonly linksAtOnce: number;
  /** Links a number to an approved registration with the registry. Idempotent. */
  readonly linkSender: (
    account: AccountRef,
    registrationId: string,
    phone: string,
  ) => Promise<LinkResult>;
  /**
   * Unlinks a number. Idempotent; resolves with the reason when the registry is unavailable, else
   * null.
   */
  readonly unlinkSender: (
    account: AccountRef,
    registrationId: string,
    phone: string,
  ) => Promise<string | null>;
  /** Recomputes the sender states of an account's numbers from its registrations. */
  readonly followSenders: (tx: Tx, account: AccountRef) => Promise<void>;
}
