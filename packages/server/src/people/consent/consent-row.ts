import type {
  ConsentBasis,
  ConsentEntryStatus,
  ConsentEvidence,
  ConsentMatch,
  ConsentStatus,
  Mode,
} from "@longwave/contract";
import type { Owner } from "../../core/base.ts";

/** Customer id that means the whole account. */
export const WHOLE_ACCOUNT = "00000000-0000-0000-0000-000000000000";

/** A ledger: an account has one per mode. */
export interface LedgerOwner extends Owner {
  readonly mode: Mode;
}

/** The state of one phone number towards the account or one customer. */
export interface StateRow {
  readonly phone_number: string;
  readonly customer_id: string;
  readonly status: ConsentStatus;
  readonly seq: number;
  readonly first_seq: number;
  readonly source: string;
  readonly match: ConsentMatch | null;
  readonly note: string | null;
  readonly basis: ConsentBasis | null;
  /** End of implied consent. */
  readonly expires_at: number | null;
  readonly recorded_by: string | null;
  readonly updated_at: number;
}

/** Ledger entry without its own hashes. */
export interface EntryFields {
  readonly account_id: string;
  readonly mode: Mode;
  readonly seq: number;
  readonly id: string;
  readonly phone_number: string;
  readonly number_seq: number;
  readonly customer_id: string;
  readonly status: ConsentEntryStatus;
  readonly source: string;
  readonly match: ConsentMatch | null;
  readonly keyword: string | null;
  readonly note: string | null;
  readonly given_at: number | null;
  readonly message_id: string | null;
  readonly texted_number: string | null;
  readonly carrier: string | null;
  readonly basis: ConsentBasis | null;
  readonly expires_at: number | null;
  readonly evidence: ConsentEvidence | null;
  readonly recorded_by: string | null;
  readonly created_at: number;
  readonly previous_hash: Buffer | null;
}

export interface EntryRow extends EntryFields {
  readonly hash: Buffer;
  readonly chain_hash: Buffer;
}

/** Consent change of a phone number, to apply. */
export interface ConsentChange {
  readonly phoneNumber: string;
  /** Customer (UUID) that the change applies to; null: the whole account. */
  readonly customerId: string | null;
  readonly status: ConsentEntryStatus;
  /** Channel: an inbound message of the person, the API, an imported list, or a carrier's report. */
  readonly origin: "text" | "api" | "import" | "carrier";
  readonly source: string;
  readonly match?: ConsentMatch | null;
  readonly keyword?: string | null;
  readonly note?: string | null;
  readonly givenAtMs?: number | null;
  readonly messageId?: string | null;
  readonly textedNumber?: string | null;
  readonly carrier?: string | null;
  readonly recordedBy?: string | null;
  /** Kind of agreement of an opt-in; express unless given. */
  readonly basis?: ConsentBasis;
  readonly evidence?: ConsentEvidence | null;
}
