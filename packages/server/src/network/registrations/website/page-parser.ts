import { decode } from "../page/charset.ts";
import type { PageFacts } from "../page/facts.ts";
import { readPage } from "../page/read.ts";
import { leadsOf } from "./discover.ts";

export interface RawPage {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  readonly url: string;
}

export type ParsedPage =
  | { readonly kind: "page"; readonly facts: PageFacts }
  | { readonly kind: "unreadable"; readonly detail: string };

/** Parses page bytes into facts, in this thread or in one of its own. */
export interface PageParser {
  /** `withinMs`: longest wait in the queue; unbounded by default. */
  parse(page: RawPage, withinMs?: number): Promise<ParsedPage>;
}

export function parseNow(page: RawPage): ParsedPage {
  const { text, isBroken } = decode(page.bytes, page.contentType);
  if (isBroken) {
    return {
      kind: "unreadable",
      detail: "Most of the page cannot be read in the character set that it names.",
    };
  }
  const facts = readPage(text, page.url);
  return { kind: "page", facts: { ...facts, leads: leadsOf(facts) } };
}

/** For programs that may block meanwhile, such as the linter. */
export const parserOfThisThread: PageParser = { parse: async (page) => parseNow(page) };
