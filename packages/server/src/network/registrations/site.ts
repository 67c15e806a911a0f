import type { RegistrationUseCase } from "@longwave/contract";
import type { PageFacts } from "./page/facts.ts";

export const PAGE_ROLES = ["website", "privacy", "terms", "opt_in"] as const;
export type PageRole = (typeof PAGE_ROLES)[number];
export type FoundBy = "given" | "link" | "guess" | "none";

/**
 * Why there is no page. `unreachable` is said of names that do not resolve, of connections refused and of addresses
 * that may not be reached alike: nobody can learn from it what stands in our own network.
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
  /** One sentence for the customer. */
  readonly detail: string;
}

/** One of the four pages of a registration, as far as it was read. */
export interface SitePage {
  readonly role: PageRole;
  readonly url: string | null;
  readonly foundBy: FoundBy;
  readonly status: number | null;
  readonly finalUrl: string | null;
  readonly problem: PageProblem | null;
  /** Larger than what is read. */
  readonly cut: boolean;
  readonly facts: PageFacts | null;
}

export type Site = Readonly<Record<PageRole, SitePage>>;

export type UseCase = RegistrationUseCase;

/** What the rules are told beside the pages. */
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
