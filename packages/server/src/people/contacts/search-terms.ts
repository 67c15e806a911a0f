import { foldCase } from "@longwave/contract";
import type { ContactRow } from "./contact-row.ts";

/**
 * Terms are the integers in the inverted index (GIN) of contact search. There is one for each two
 * adjacent letters, each three adjacent digits of a phone number, and each tag. Terms may collide,
 * so queries compare every index match with the searched string itself.
 *
 * The account fills the upper 17 bits, so that accounts do not share postings. The lower 15 bits are
 * pairs of letters first, then groups of three digits, then tags.
 */
const LOCAL_BITS = 15;
/** A letter's symbol is the low 7 bits of its UTF-16 code unit: ASCII letters do not collide. */
const SYMBOL_BITS = 7;
const SYMBOLS = 1 << SYMBOL_BITS;
/** The symbol before the first letter of every line, so that a single letter is part of a pair, too. */
const LINE_START = 0;
const DIGITS_BASE = SYMBOLS * SYMBOLS;
const TAG_BASE = DIGITS_BASE + 1_000;
const TAG_BUCKETS = (1 << LOCAL_BITS) - TAG_BASE;
const LINE_BREAK = "\n";
/** The last hexadecimal digits of an account id, which are random: 17 bits and more. */
const RANDOM_DIGITS = 5;

/** Terms that a search row must have to contain a search string. */
export interface TermCondition {
  /** PostgreSQL operator: all of the terms (`@>`), or any (`&&`). */
  readonly operator: "@>" | "&&";
  readonly terms: readonly number[];
}

/** Computes the terms of one account. */
export interface TermMaker {
  /** Terms of a search row of these people. */
  ofPeople(people: readonly SearchedPerson[]): number[];
  /** Alternative conditions for a search string: as letters and, if numeric, as phone digits. */
  ofPart(part: string): TermCondition[];
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
  const base = Number.parseInt(accountId.slice(-RANDOM_DIGITS), 16) << LOCAL_BITS;
  const ofTag = (tag: string) => base | (TAG_BASE + (hashOf(tag) % TAG_BUCKETS));
  const condition = (operator: TermCondition["operator"], locals: readonly number[]) => ({
    operator,
    terms: [...new Set(locals)].map((local) => base | local),
  });
  return {
    ofTag,
    ofPeople(people) {
      // People who share a row have most terms in common: a flag per term is faster than a set.
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
          ? condition("&&", pairsBefore(part))
          : condition("@>", pairsOf(part, null));
      if (!/^\d+$/.test(part)) return [letters];
      const digits =
        part.length < 3 ? condition("&&", triplesWith(part)) : condition("@>", triplesOf(part));
      return [letters, digits];
    },
  };
}

/** Each two adjacent letters; `start` is the symbol before the first one, null for none. */
function pairsOf(text: string, start: number | null): number[] {
  const pairs: number[] = [];
  let before = start;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 10) before = LINE_START;
    else {
      const symbol = unit & (SYMBOLS - 1);
      if (before !== null) pairs.push((before << SYMBOL_BITS) | symbol);
      before = symbol;
    }
  }
  return pairs;
}

/** All pairs that end in a letter: every letter of a line has a symbol before it. */
function pairsBefore(letter: string): number[] {
  return Array.from({ length: SYMBOLS }, (_, before) => pairsOf(letter, before)).flat();
}

function triplesOf(digits: string): number[] {
  const triples: number[] = [];
  for (let at = 3; at <= digits.length; at += 1) {
    triples.push(DIGITS_BASE + Number(digits.slice(at - 3, at)));
  }
  return triples;
}

/** All groups of three digits that contain one or two digits. */
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

/** The searched fields of a contact in lower case. */
export function searchedPerson(contact: Searched): SearchedPerson {
  const { name, email, company, phone_number, tags } = contact;
  return {
    words: foldCase([name ?? "", email ?? "", company ?? ""].join(LINE_BREAK)),
    digits: phone_number.slice(1),
    tags: tags.map(foldCase),
  };
}

/** Searched string of a search row. */
export function searchText(people: readonly SearchedPerson[]): string {
  return people.map(({ words, digits }) => words + LINE_BREAK + digits).join(LINE_BREAK);
}

/** Search strings of `q`; a contact matches if it contains any of them. */
export function searchedParts(q: string): string[] {
  const part = foldCase(q.trim()).replaceAll(LINE_BREAK, " ");
  if (part === "") return [];
  // People write numbers as "(415) 555"; contacts hold digits only.
  const digits = /^[\d\s()+./-]+$/.test(part) ? part.replace(/\D/g, "") : "";
  return digits === "" || digits === part ? [part] : [part, digits];
}
