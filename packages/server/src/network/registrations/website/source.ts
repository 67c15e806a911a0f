import type { PageFacts } from "../page/facts.ts";
import type { PageProblem } from "../site.ts";

/** A fetched page, or the reason why there is none. */
export interface PageRead {
  readonly url: string;
  readonly finalUrl: string | null;
  readonly status: number | null;
  readonly problem: PageProblem | null;
  readonly cut: boolean;
  readonly facts: PageFacts | null;
}

/** Source of pages: the web, or a folder of files. Never rejects because of a page or a site. */
export interface PageSource {
  read(url: string, withinMs: number): Promise<PageRead>;
}

export const PAGE_BYTES_MAX = 1024 * 1024;
export const REDIRECTS_MAX = 5;
