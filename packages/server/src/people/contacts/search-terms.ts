import { createHash } from "node:crypto";
import { foldCase } from "@longwave/contract";
import type { ContactRow } from "./contact-row.ts";

/**
 * What contacts are found by: a text that is searched for parts, and numbers, terms, that an
 * inverted index (GIN) is made of. One stands for two letters that follow each other, so two
 * letters are enough to look something up; of phone numbers, for three digits, because any two are
 * in every tenth number. Different letters may have the same term: what the index finds is always
 * compared with the text itself.
 *
 * A term has the account in its upper 18 bits, so that an account does not search in another's
 * postings, and 14 bits of its own: pairs of letters, then groups of three digits, then tags.
 */
const LOCAL_BITS = 14;
const SYMBOLS = 64;
const DIGITS_BASE = SYMBOLS * SYMBOLS;
const TAG_BASE = DIGITS_BASE + 1_000;
const TAG_BUCKETS = (1 << LOCAL_BITS) - TAG_BASE;
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

/** What a row of the index must have so that a part may stand in its text. */
export interface Sought {
  readonly terms: readonly number[];
  readonly match: "all" | "any";
}

/** What one account's terms are made with. */
export interface TermMaker {
  /** Every term of people who are kept together: their words (lines of text), digits and tags. */
  ofPeople(people: readonly SearchedPerson[]): number[];
  /** Ways in which a part may stand in a text: as letters, and where it is a number, as digits. */
  ofPart(part: string): Sought[];
  ofTag(tag: string): number;
}

export interface SearchedPerson {
  /** Name, email address and company, a line each, in lower case. */
  readonly words: string;
  readonly digits: string;
  /** In lower case. */
  readonly tags: readonly string[];
}

export function termsOf(accountId: string): TermMaker {
  const base = createHash("sha256").update(accountId).digest().readUInt32BE(0) << LOCAL_BITS;
  const ofTag = (tag: string) => base | (TAG_BASE + (hashOf(tag) % TAG_BUCKETS));
  const sought = (locals: readonly number[], match: Sought["match"]): Sought => ({
    terms: [...new Set(locals)].map((local) => base | local),
    match,
  });
  return {
    ofTag,
    ofPeople(people) {
      // A flag for each term is quicker than a set where people have most terms in common.
      const seen = new Uint8Array(TAG_BASE);
      const tags = new Set<string>();
      for (const person of people) {
        for (const local of pairsOf(person.words, LINE_START)) seen[local] = 1;
        for (const local of triplesOf(person.digits)) seen[local] = 1;
        for (const tag of person.tags) tags.add(tag);
      }
      const terms = [...tags].map(ofTag);
      for (let at = seen.indexOf(1); at >= 0; at = seen.indexOf(1, at + 1)) terms.push(base | at);
      return terms;
    },
    ofPart(part) {
      const letters =
        part.length === 1
          ? sought(pairsBefore(symbolOf(part.charCodeAt(0))), "any")
          : sought(pairsOf(part, null), "all");
      if (!/^\d+$/.test(part)) return [letters];
      const digits =
        part.length < 3 ? sought(triplesWith(part), "any") : sought(triplesOf(part), "all");
      return [letters, digits];
    },
  };
}

/** Each two letters of a text, and what stands before it with its first one. */
function pairsOf(text: string, start: number | null): number[] {
  const pairs: number[] = [];
  let before = start;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 10) before = LINE_START;
    else {
      const symbol = symbolOf(unit);
      if (before !== null) pairs.push(before * SYMBOLS + symbol);
      before = symbol;
    }
  }
  return pairs;
}

/** Every letter of a line has something before it. */
function pairsBefore(symbol: number): number[] {
  return Array.from({ length: SYMBOLS }, (_, before) => before * SYMBOLS + symbol);
}

function triplesOf(digits: string): number[] {
  const triples: number[] = [];
  for (let at = 3; at <= digits.length; at += 1) {
    triples.push(DIGITS_BASE + Number(digits.slice(at - 3, at)));
  }
  return triples;
}

/** Those that one or two digits are a part of: a phone number has more than that. */
function triplesWith(part: string): number[] {
  return Array.from({ length: 1_000 }, (_, triple) => triple)
    .filter((triple) => String(triple).padStart(3, "0").includes(part))
    .map((triple) => DIGITS_BASE + triple);
}

/** FNV-1a: short, fast, and the same in every process. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

type Searched = Pick<ContactRow, "name" | "email" | "company" | "phone_number" | "tags">;

/** What `q` looks at, and tags, in lower case. */
export function searchedPerson(contact: Searched): SearchedPerson {
  const { name, email, company, phone_number, tags } = contact;
  return {
    words: foldCase([name ?? "", email ?? "", company ?? ""].join(LINE_BREAK)),
    digits: phone_number.slice(1),
    tags: tags.map(foldCase),
  };
}

/** The text of people who are kept together. */
export function searchText(people: readonly SearchedPerson[]): string {
  return people.map(({ words, digits }) => words + LINE_BREAK + digits).join(LINE_BREAK);
}

/** What is looked for: parts of the text, of which one must be there. */
export function searchedParts(q: string): string[] {
  const part = foldCase(q.trim()).replaceAll(LINE_BREAK, " ");
  if (part === "") return [];
  // "(415) 555" is written the way people write numbers, and contacts have digits only.
  const digits = /^[\d\s()+./-]+$/.test(part) ? part.replace(/\D/g, "") : "";
  return digits === "" || digits === part ? [part] : [part, digits];
}
