import { createHash } from "node:crypto";
import { foldCase } from "@longwave/contract";
import type { ContactRow } from "./contact-row.ts";

/**
 * What a contact is found by: a text that is searched for parts, and numbers that an inverted index
 * (GIN) is made of. A number stands for two letters that follow each other, so two letters are
 * enough to look something up; trigrams would need three. Different letters may have the same
 * number: what the index finds is always compared with the text itself.
 *
 * A number has the account in its upper 19 bits, so that an account does not search in another's
 * postings, and 13 bits of its own: the lower half for pairs of letters, the upper for tags.
 */
const LOCAL_BITS = 13;
const TAG_BASE = 4096;
const TAG_BUCKETS = 4096;
const SYMBOLS = 64;
const OTHER_BASE = 45;
const OTHER_SYMBOLS = SYMBOLS - OTHER_BASE;
/** Stands before the first letter of every line, so that a single letter is part of a pair, too. */
const LINE_START = 0;
const LINE_BREAK = "\n";

const KNOWN = " @.-_+'&";
const SYMBOL_OF = new Uint8Array(128);
for (let letter = 0; letter < 26; letter += 1) SYMBOL_OF[97 + letter] = 1 + letter;
for (let digit = 0; digit < 10; digit += 1) SYMBOL_OF[48 + digit] = 27 + digit;
[...KNOWN].forEach((mark, index) => {
  SYMBOL_OF[mark.charCodeAt(0)] = 37 + index;
});

function symbolOf(unit: number): number {
  const known = unit < 128 ? (SYMBOL_OF[unit] ?? 0) : 0;
  return known === 0 ? OTHER_BASE + (unit % OTHER_SYMBOLS) : known;
}

/** What one account's terms are made with. */
export interface TermMaker {
  /** Every term of a contact, as the text of a PostgreSQL array. */
  ofContact(text: string, tags: readonly string[]): string;
  /** The terms that whatever contains this text has; none for a single letter. */
  ofPart(part: string): number[];
  /** Of a single letter: the terms of which whatever contains it has one. */
  ofLetter(letter: string): number[];
  ofTag(tag: string): number;
}

export function termsOf(accountId: string): TermMaker {
  const base = createHash("sha256").update(accountId).digest().readUInt32BE(0) << LOCAL_BITS;
  const pair = (first: number, second: number) => base | (first * SYMBOLS + second);
  const ofTag = (tag: string) => base | (TAG_BASE + (hashOf(tag) % TAG_BUCKETS));
  return {
    ofTag,
    ofContact(text, tags) {
      const terms = new Set<number>();
      let before = LINE_START;
      for (let at = 0; at < text.length; at += 1) {
        const unit = text.charCodeAt(at);
        if (unit === 10) {
          before = LINE_START;
          continue;
        }
        const symbol = symbolOf(unit);
        terms.add(pair(before, symbol));
        before = symbol;
      }
      for (const tag of tags) terms.add(ofTag(tag));
      return `{${[...terms].join(",")}}`;
    },
    ofPart(part) {
      const terms = new Set<number>();
      for (let at = 1; at < part.length; at += 1) {
        terms.add(pair(symbolOf(part.charCodeAt(at - 1)), symbolOf(part.charCodeAt(at))));
      }
      return [...terms];
    },
    ofLetter(letter) {
      const symbol = symbolOf(letter.charCodeAt(0));
      const terms: number[] = [];
      for (let other = 0; other < SYMBOLS; other += 1) {
        terms.push(pair(other, symbol));
        if (other !== symbol && other !== LINE_START) terms.push(pair(symbol, other));
      }
      return terms;
    },
  };
}

/** FNV-1a: short, fast, and the same in every process. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

type Searched = Pick<ContactRow, "name" | "email" | "company" | "phone_number">;

/** A line each for what `q` looks at, in lower case. */
export function searchText({ name, email, company, phone_number }: Searched): string {
  const lines = [name ?? "", email ?? "", company ?? "", phone_number.slice(1)];
  return lines.map(foldCase).join(LINE_BREAK);
}

/** What is looked for: parts of the text, of which one must be there. */
export function searchedParts(q: string): string[] {
  const part = foldCase(q.trim()).replaceAll(LINE_BREAK, " ");
  if (part === "") return [];
  // "(415) 555" is written the way people write numbers, and contacts have digits only.
  const digits = /^[\d\s()+./-]+$/.test(part) ? part.replace(/\D/g, "") : "";
  return digits === "" || digits === part ? [part] : [part, digits];
}
