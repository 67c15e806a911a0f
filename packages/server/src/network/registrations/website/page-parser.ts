import { decode } from "../page/charset.ts";
import type { PageFacts } from "../page/facts.ts";
import { readPage } from "../page/read.ts";

export interface RawPage {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  readonly url: string;
}

export type ParsedPage =
  | { readonly kind: "page"; readonly facts: PageFacts }
  | { readonly kind: "unreadable"; readonly detail: string };

/** Turns bytes into what the rules look at: in this thread, or in one of its own. */
export interface PageParser {
  /** `withinMs`: how long it may wait for its turn; for ever when left out. */
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
  return { kind: "page", facts: readPage(text, page.url) };
}

/** For programs that have nothing else to do meanwhile. */
export const parserOfThisThread: PageParser = { parse: async (page) => parseNow(page) };
