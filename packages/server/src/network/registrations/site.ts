import type { RegistrationUseCase } from "@longwave/contract";
import type { PageFacts } from "./page/facts.ts";

export const PAGE_ROLES = ["website", "privacy", "terms", "opt_in"] as const;
export type PageRole = (typeof PAGE_ROLES)[number];
export type FoundBy = "given" | "link" | "guess" | "none";

/**
 * Reasons for a missing page. `unreachable` covers unresolved names, refused connections and
 * blocked addresses alike, so that it reveals nothing about our own network.
 */
export type PageProblemKind =
  | "unreachable"
  | "tls"
  | "timeout"
  | "redirects"
  | "status"
  | "not_html"
  | "unreadable"
  | "slow";

export interface PageProblem {
  readonly kind: PageProblemKind;
  /** A sentence for the customer. */
  readonly detail: string;
}

/** One of a registration's four pages, as far as it was read. */
export interface SitePage {
  readonly role: PageRole;
  readonly url: string | null;
  readonly foundBy: FoundBy;
  readonly status: number | null;
  readonly finalUrl: string | null;
  readonly problem: PageProblem | null;
  /** Whether the page exceeds the size that is read. */
  readonly cut: boolean;
  readonly facts: PageFacts | null;
}

export type Site = Readonly<Record<PageRole, SitePage>>;

export type UseCase = RegistrationUseCase;

/** Context of the rules beside the pages. */
export interface Subject {
  readonly businessName: string;
  readonly website: string;
  readonly useCase: UseCase;
  readonly brand: Brand;
}

export interface Brand {
  readonly contactEmail?: string;
  readonly street?: string;
  readonly ein?: string;
}
