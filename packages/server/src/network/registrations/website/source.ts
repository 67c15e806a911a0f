import type { PageFacts } from "../page/facts.ts";
import type { PageProblem } from "../site.ts";

/** One page that was asked for: what it says, or why there is none. */
export interface PageRead {
  readonly url: string;
  readonly finalUrl: string | null;
  readonly status: number | null;
  readonly problem: PageProblem | null;
  readonly cut: boolean;
  readonly facts: PageFacts | null;
}

/** Where pages come from: the web, or a folder of files. Never rejects for what a page or a site does. */
export interface PageSource {
  read(url: string, withinMs: number): Promise<PageRead>;
}

export const PAGE_BYTES_MAX = 1024 * 1024;
export const REDIRECTS_MAX = 5;
