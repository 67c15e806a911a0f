/**
 * Finds a plain opt-out request in a folded message.
 *
 * Splits the message into sentences and clauses, strips courtesy at both ends, and then matches
 * each as a whole (opt-out-patterns.ts, opt-out-languages.ts).
 */
import {
  COURTESY_ELSEWHERE,
  REQUEST_ELSEWHERE,
  REQUEST_ELSEWHERE_PATTERN,
  WHOLE_TEXT_ELSEWHERE,
} from "./opt-out-languages.ts";
import {
  ABOUT_ONESELF,
  ASKING_US,
  CANONICAL_WORDS,
  COURTESY_AFTER,
  COURTESY_BEFORE,
  EMPHASIS,
  EXPANSIONS,
  REPEATED_WORDS,
  REQUEST,
  STRONG_WORDS,
  WHOLE_SENTENCE,
  WHOLE_TEXT,
  WISH,
} from "./opt-out-patterns.ts";
import { wordsOf } from "./text-folding.ts";

const SENTENCES_MAX = 60;
const CLAUSES_MAX = 30;
/** Longest request; a longer sentence is matched by its clauses only. */
const REQUEST_WORDS_MAX = 32;
const COURTESIES_MAX = 8;

// A dot inside a word or an address ends no sentence: "stop.com".
const SENTENCE_END = /([!?;\n\r。]+|\.+(?![\p{L}\p{N}]))/u;
const CLAUSE_MARK = /[,:()]|\s[-\u2013\u2014]+\s/;
/** A phone's reaction message, which quotes our own message, STOP footer and all. */
const REACTION =
  /^(?:liked|loved|disliked|laughed at|emphasized|questioned|removed an? [a-z ]{1,20}from|reacted .{1,12} to|le gusto|le encanto|a aime|a adore|[^\p{L}\p{N}]{1,12}to) ?["\u201c\u201d\u00ab']/u;

/** Words that begin a new clause without a comma. */
const CLAUSE_STARTS = new Set(["i", "ill", "you", "please", "this"]);
const CONJUNCTIONS = new Set(["and", "but", "or", "so", "because", "cuz", "bc"]);
/** Words that open a clause after "so"; others make it "so much", "so often". */
const AFTER_SO = new Set("please i you we stop remove take can could dont unsubscribe".split(" "));
/** Words that report, deny, ask or condition the rest: "I never said I want to opt out". */
const NOT_A_REQUEST_AFTER = new Set(
  "said say says saying think thought know if when whether until unless once before after while as than that what where why how who which mean meant told tell asked ask ever never not dont didnt wont cant would should could can will do does did may might must am was thank love miss want wants need needs like hope wish let to from for with of by about at on and hear".split(
    " ",
  ),
);

/** True for words that differ by one added, dropped or changed letter, or by two swapped ones. */
function isOneSlipFrom(word: string, typed: string): boolean {
  if (Math.abs(word.length - typed.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === typed[start]) start++;
  let end = 0;
  const shorter = Math.min(word.length, typed.length);
  while (end < shorter - start && word[word.length - 1 - end] === typed[typed.length - 1 - end]) {
    end++;
  }
  const [a, b] = [word.slice(start, word.length - end), typed.slice(start, typed.length - end)];
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && a === `${b[1]}${b[0]}`);
}

function canonicalWord(word: string): string {
  const known = CANONICAL_WORDS.get(word);
  if (known !== undefined) return known;
  if (/^s+t+o+p+$/.test(word)) return "stop";
  // A trailing digit is no typo: a number after a keyword is an answer.
  if (/^un.*\D$/.test(word) && isOneSlipFrom("unsubscribe", word)) return "unsubscribe";
  return EXPANSIONS.get(word) ?? word;
}

/** Words of a sentence, with spellings, contractions and "do not" unified. */
function canonicalWords(text: string): string[] {
  return wordsOf(text)
    .map(canonicalWord)
    .join(" ")
    .replace(EMPHASIS, "")
    .replace(/\bdo not\b/g, "dont")
    .replace(/\bdid not\b/g, "didnt")
    .replace(/\bun (?=subscribe\b)/g, "un")
    .split(" ");
}

/** Removes the first matching phrase from the start; null when none matches. */
function withoutStart(text: string, starts: readonly string[]): string | null {
  for (const start of starts) {
    if (text.startsWith(start) && text[start.length] === " ") return text.slice(start.length + 1);
  }
  return null;
}

function withoutEnd(text: string, ends: readonly string[]): string | null {
  for (const end of ends) {
    if (text.endsWith(end) && text[text.length - end.length - 1] === " ") {
      return text.slice(0, -end.length - 1);
    }
  }
  return null;
}

/** The string, and each shorter one as courtesy is removed from its end. */
function* withoutCourtesyAfter(text: string, courtesy: readonly string[]): Generator<string> {
  let rest: string | null = text;
  for (let i = 0; rest !== null && i <= COURTESIES_MAX; i++) {
    yield rest;
    rest = withoutEnd(rest, courtesy);
  }
}

function* withoutCourtesyBefore(text: string, courtesy: readonly string[]): Generator<string> {
  let rest: string | null = text;
  for (let i = 0; rest !== null && i <= COURTESIES_MAX; i++) {
    yield rest;
    rest = withoutStart(rest, courtesy);
  }
}

interface Part {
  readonly words: readonly string[];
  /** True for a whole sentence, for which a bare "stop" is enough. */
  readonly isSentence: boolean;
  readonly isQuestion: boolean;
}

function isRequestCore(core: string, part: Part, asksUs: boolean): boolean {
  for (const text of withoutCourtesyAfter(core, COURTESY_AFTER)) {
    if (REQUEST.test(text)) return true;
    // "Stop?" among other sentences is a question about the word.
    const bareCounts = part.isSentence && (asksUs || !part.isQuestion);
    if (bareCounts && WHOLE_SENTENCE.test(text)) return true;
  }
  return false;
}

function isWishCore(core: string): boolean {
  for (const text of withoutCourtesyAfter(core, COURTESY_AFTER)) {
    if (WISH.test(text)) return true;
  }
  return false;
}

function isEnglishRequest(part: Part): boolean {
  for (const text of withoutCourtesyBefore(part.words.join(" "), COURTESY_BEFORE)) {
    if (isRequestCore(text, part, false)) return true;
    const asked = withoutStart(text, ASKING_US);
    if (asked !== null) {
      for (const core of withoutCourtesyBefore(asked, COURTESY_BEFORE)) {
        if (isRequestCore(core, part, true)) return true;
      }
    }
    const wished = withoutStart(text, ABOUT_ONESELF);
    if (wished !== null && isWishCore(wished)) return true;
  }
  return false;
}

function isRequestElsewhere(part: Part, isWholeText: boolean): boolean {
  for (const start of withoutCourtesyBefore(part.words.join(" "), COURTESY_ELSEWHERE)) {
    for (const text of withoutCourtesyAfter(start, COURTESY_ELSEWHERE)) {
      if (REQUEST_ELSEWHERE.has(text) || REQUEST_ELSEWHERE_PATTERN.test(text)) return true;
      if (isWholeText && WHOLE_TEXT_ELSEWHERE.has(text)) return true;
    }
  }
  return false;
}

function isRepeatedStop(words: readonly string[]): boolean {
  return (
    words.every((word) => REPEATED_WORDS.has(word)) && words.some((word) => STRONG_WORDS.has(word))
  );
}

/** True when a clause begins at this word without a comma. */
function startsClause(words: readonly string[], index: number): boolean {
  const [previous, word, next] = [words[index - 1], words[index] ?? "", words[index + 1] ?? ""];
  if (previous === undefined) return false;
  if (word === "so") return AFTER_SO.has(next);
  if (CONJUNCTIONS.has(word)) return true;
  if (!CLAUSE_STARTS.has(word) || NOT_A_REQUEST_AFTER.has(previous)) return false;
  return word !== "this" || next === "is";
}

/** Clauses of a sentence, without those that report or deny their content. */
function clausesOf(sentence: string): string[][] {
  const clauses: string[][] = [];
  let lastWord = "";
  for (const piece of sentence.split(CLAUSE_MARK, CLAUSES_MAX)) {
    const words = canonicalWords(piece);
    let clause: string[] = [];
    const close = () => {
      if (clause.length > 0 && !NOT_A_REQUEST_AFTER.has(lastWord)) clauses.push(clause);
      lastWord = clause.at(-1) ?? lastWord;
      clause = [];
    };
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? "";
      if (startsClause(words, i)) {
        close();
        if (CONJUNCTIONS.has(word)) continue;
      }
      if (word !== "") clause.push(word);
    }
    close();
  }
  return clauses.slice(0, CLAUSES_MAX);
}

function requestInSentence(
  sentence: string,
  isQuestion: boolean,
  isReported: boolean,
): string | null {
  const words = canonicalWords(sentence);
  if (!isReported && words.length <= REQUEST_WORDS_MAX) {
    const part = { words, isSentence: true, isQuestion };
    if (isEnglishRequest(part) || isRequestElsewhere(part, false)) return words.join(" ");
  }
  for (const clause of clausesOf(sentence)) {
    if (clause.length > REQUEST_WORDS_MAX) continue;
    const part = { words: clause, isSentence: false, isQuestion };
    if (isEnglishRequest(part) || isRequestElsewhere(part, false)) return clause.join(" ");
  }
  return null;
}

function requestAsWholeText(folded: string): string | null {
  const words = canonicalWords(folded);
  const text = words.join(" ");
  if (words.length > REQUEST_WORDS_MAX) return null;
  if (WHOLE_TEXT.has(text) || isRepeatedStop(words)) return text;
  const part = { words, isSentence: true, isQuestion: false };
  return isRequestElsewhere(part, true) ? text : null;
}

/** Words of the opt-out request, or null. Takes the result of foldText. */
export function findOptOutPhrase(folded: string): string | null {
  if (REACTION.test(folded)) return null;
  if (wordsOf(folded).length === 0) return /^\s*🛑[\s🛑]*$/u.test(folded) ? "🛑" : null;
  const whole = requestAsWholeText(folded);
  if (whole !== null) return whole;
  // The split keeps its separators: each sentence precedes its ending.
  const pieces = folded.split(SENTENCE_END, SENTENCES_MAX * 2);
  let lastWord = "";
  for (let i = 0; i < pieces.length; i += 2) {
    const sentence = pieces[i] ?? "";
    const words = wordsOf(sentence);
    if (words.length === 0) continue;
    const isQuestion = (pieces[i + 1] ?? "").includes("?");
    const found = requestInSentence(sentence, isQuestion, lastWord === "said");
    if (found !== null) return found;
    lastWord = words.at(-1) ?? "";
  }
  return null;
}
