import type { Registration, RegistrationCode } from "@longwave/contract";

/**
 * Where registrations are filed with the carriers. A real one is a file beside `simulated.ts` and a line in
 * `registries.ts`; `packages/server/testing/registry-conformance.ts` says what it must do.
 *
 * No call throws for what a registry may answer, or for its not answering: that is `unavailable`, which is tried again
 * later. Every call may be made twice, because a process can die between the answer and our writing it down.
 */
export interface Registry {
  readonly name: string;
  /** Hands a registration in. The same `filing.key` again answers the same reference. */
  file(filing: Filing, signal: AbortSignal): Promise<FileAnswer>;
  /** How far the review of what was filed is. */
  review(reference: string, signal: AbortSignal): Promise<ReviewAnswer>;
  /** Ties a number to what was approved, and to nothing else. */
  link(reference: string, phoneNumber: string, signal: AbortSignal): Promise<LinkAnswer>;
  /** Unties it. A number that is not tied is untied already. */
  unlink(reference: string, phoneNumber: string, signal: AbortSignal): Promise<UnlinkAnswer>;
}

/** A registration as it is handed in: what the customer said, and the campaign made from it. */
export interface Filing {
  /** One per submission of a registration. */
  readonly key: string;
  readonly submittedAtMs: number;
  readonly businessName: string;
  readonly website: string;
  readonly brand: Registration["brand"];
  readonly campaign: Registration["generated"]["campaign"];
}

/** Not now. A sentence for whoever waits. */
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
  | { readonly kind: "waiting" | "in_review" | "approved" }
  | Rejected
  | Unavailable;
export type LinkAnswer =
  | { readonly kind: "linked" }
  | { readonly kind: "refused"; readonly reason: string }
  | Unavailable;
export type UnlinkAnswer = { readonly kind: "unlinked" } | Unavailable;
