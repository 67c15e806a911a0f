/**
 * STOP, START and HELP, and plain requests to stop in other words.
 *
 * Two tiers. A keyword is the whole text and acts at once. A phrase is a request that any reasonable
 * person would understand (the FCC's words, 47 CFR 64.1200(a)(10)); it opts out as well, and is
 * marked so that an account may choose to look at it first. Opting in and asking for help take the
 * keyword: consent is never guessed. fixtures/opt-out.json says what does what.
 */
import { findOptOutPhrase } from "./opt-out-phrases.ts";
import { foldText, wordsOf } from "./text-folding.ts";

export type KeywordAction = "opt_out" | "opt_in" | "help";

export interface KeywordMatch {
  readonly action: KeywordAction;
  readonly match: "keyword" | "phrase";
  /** The keyword in capitals, or the words of the phrase, at most 80 characters. */
  readonly keyword: string;
}

export const OPT_OUT_KEYWORDS = [
  "STOP",
  "STOPALL",
  "STOP ALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "REVOKE",
  "OPTOUT",
  "OPT OUT",
] as const;
export const OPT_IN_KEYWORDS = ["START", "UNSTOP"] as const;
/** An opt-in from someone opted out; from anyone else it answers a question. */
export const OPT_IN_KEYWORD_IF_OPTED_OUT = "YES";
export const HELP_KEYWORDS = ["HELP", "INFO"] as const;

export const PHRASE_CHARS_MAX = 80;
/** STOPALL is the longest keyword that someone might space out letter by letter. */
const SPACED_LETTERS_MAX = 11;

const actions = new Map<string, KeywordAction>();
for (const keyword of OPT_OUT_KEYWORDS) actions.set(keyword, "opt_out");
for (const keyword of OPT_IN_KEYWORDS) actions.set(keyword, "opt_in");
for (const keyword of HELP_KEYWORDS) actions.set(keyword, "help");

/** The whole text in capitals, with "S T O P" and "un-subscribe" closed up. */
function wholeText(words: readonly string[]): string {
  const spacedOut =
    words.length > 2 &&
    words.length <= SPACED_LETTERS_MAX &&
    words.every((word) => word.length === 1);
  return words
    .join(spacedOut ? "" : " ")
    .replace(/^un subscribe$/, "unsubscribe")
    .toUpperCase();
}

/** What an inbound text asks for, or null. */
export function matchKeyword(
  body: string,
  options: { readonly optedOut: boolean },
): KeywordMatch | null {
  const folded = foldText(body);
  const keyword = wholeText(wordsOf(folded));
  const action = actions.get(keyword);
  if (action !== undefined) return { action, match: "keyword", keyword };
  if (keyword === OPT_IN_KEYWORD_IF_OPTED_OUT) {
    return options.optedOut ? { action: "opt_in", match: "keyword", keyword } : null;
  }
  const phrase = findOptOutPhrase(folded);
  if (phrase === null) return null;
  return { action: "opt_out", match: "phrase", keyword: phrase.slice(0, PHRASE_CHARS_MAX) };
}
