import type {
  NetworkLimits,
  Registration,
  RegistrationCode,
  RegistrationKind,
} from "@longwave/contract";

/**
 * Client of a registry that files registrations with carriers. To add one, write a file beside
 * `simulated.ts` and a line in `registries.ts`; `packages/server/testing/registry-conformance.ts`
 * is the contract.
 *
 * Calls never throw for an answer or its absence: the result is `unavailable`, and the caller
 * retries later. Every call may be made twice, because a process can die between the answer and
 * storing it.
 */
export interface Registry {
  readonly name: string;
  /** Kinds of registrations that it files; the operator decides about others. */
  readonly kinds: readonly RegistrationKind[];
  /** Files a registration. Idempotent by `filing.key`: the same key gives the same reference. */
  file(filing: Filing, signal: AbortSignal): Promise<FileAnswer>;
  /** State of a filing: its review, and its life after the approval. */
  review(reference: string, signal: AbortSignal): Promise<ReviewAnswer>;
  /** Links a number to an approved filing, exclusively. */
  link(reference: string, phoneNumber: string, signal: AbortSignal): Promise<LinkAnswer>;
  /** Unlinks a number. Idempotent. */
  unlink(reference: string, phoneNumber: string, signal: AbortSignal): Promise<UnlinkAnswer>;
  /** State of a number's link, without changing it: carriers may remove a number after it was linked. */
  linkState?(reference: string, phoneNumber: string, signal: AbortSignal): Promise<LinkAnswer>;
  /**
   * References of the filings that a notification of the registry is about; none for others. Their state is then read
   * with `review` and `linkState`, so that the contents of a notification need no trust.
   */
  referencesIn?(callback: unknown, signal: AbortSignal): Promise<readonly string[]>;
}

/** A registration as filed: the customer's fields and the campaign generated from them. */
export interface Filing {
  /** Unique per submission of a registration. */
  readonly key: string;
  readonly submittedAtMs: number;
  readonly businessName: string;
  readonly website: string;
  readonly brand: Registration["brand"];
  /** Brand that the registry knows already; null: the filing registers one. */
  readonly brandId: string | null;
  readonly resellerId: string | null;
  readonly campaign: Registration["generated"]["campaign"];
}

/** Temporarily unavailable; `reason` is a sentence for the customer. */
export interface Unavailable {
  readonly kind: "unavailable";
  readonly reason: string;
}

export interface Rejected {
  readonly kind: "rejected";
  readonly code: RegistrationCode;
  readonly note: string | null;
}

export type FileAnswer =
  | { readonly kind: "filed"; readonly reference: string }
  | Rejected
  | Unavailable;
export type ReviewAnswer =
  | { readonly kind: "waiting" | "in_review" | "suspended" | "expired" }
  /** With what networks granted, where the registry says it. */
  | { readonly kind: "approved"; readonly limits?: readonly NetworkLimits[] }
  | Rejected
  | Unavailable;
export type LinkAnswer =
  | { readonly kind: "linked" }
  /** The registry works on it, which may take days; a later call finds the outcome. */
  | { readonly kind: "pending"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string }
  | Unavailable;
export type UnlinkAnswer = { readonly kind: "unlinked" } | Unavailable;
