/**
 * STOP, START and HELP, and plain requests to stop in other words.
 *
 * Two tiers. A keyword is the whole message and acts at once. A phrase is a request that any
 * reasonable person would understand (FCC, 47 CFR 64.1200(a)(10)). It opts out too, but is marked,
 * so that an account may review it first. Opting in and asking for help need a keyword: the service
 * never guesses consent. fixtures/opt-out.json holds the expected results.
 */
import { findOptOutPhrase } from "./opt-out-phrases.ts";
import { foldText, wordsOf } from "./text-folding.ts";

/** Language of a keyword, and so of its reply. */
export type KeywordLanguage = "en" | "fr" | "es";

export type KeywordAction = "opt_out" | "opt_in" | "help";

export interface KeywordMatch {
  readonly action: KeywordAction;
  readonly match: "keyword" | "phrase";
  /** Keyword in capitals, or the words of the phrase, at most 80 characters. */
  readonly keyword: string;
  /** `en` for phrases, in whatever language they are. */
  readonly language: KeywordLanguage;
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
/** Opts in only a person who opted out; otherwise it is an ordinary answer. */
export const OPT_IN_KEYWORD_IF_OPTED_OUT = "YES";
export const HELP_KEYWORDS = ["HELP", "INFO"] as const;
/** Keywords in French and Spanish, without accents: Canada wants ARRET and AIDE beside STOP and HELP. */
const KEYWORDS_ELSEWHERE: readonly (readonly [string, KeywordAction, KeywordLanguage])[] = [
  ["ARRET", "opt_out", "fr"],
  ["AIDE", "help", "fr"],
  ["ALTO", "opt_out", "es"],
  ["AYUDA", "help", "es"],
];

export const PHRASE_CHARS_MAX = 80;
/** Length of STOPALL with spaces between its letters, rounded up. */
const SPACED_LETTERS_MAX = 11;

interface Meaning {
  readonly action: KeywordAction;
  readonly language: KeywordLanguage;
}

const meanings = new Map<string, Meaning>();
const english = (keywords: readonly string[], action: KeywordAction) => {
  for (const keyword of keywords) meanings.set(keyword, { action, language: "en" });
};
english(OPT_OUT_KEYWORDS, "opt_out");
english(OPT_IN_KEYWORDS, "opt_in");
english(HELP_KEYWORDS, "help");
for (const [keyword, action, language] of KEYWORDS_ELSEWHERE) {
  meanings.set(keyword, { action, language });
}

/** Whole message in capitals, with "S T O P" and "un-subscribe" joined. */
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

/** Classifies an inbound message; null when it is no request. */
export function matchKeyword(
  body: string,
  options: { readonly optedOut: boolean },
): KeywordMatch | null {
  const folded = foldText(body);
  const keyword = wholeText(wordsOf(folded));
  const meaning = meanings.get(keyword);
  if (meaning !== undefined) return { ...meaning, match: "keyword", keyword };
  if (keyword === OPT_IN_KEYWORD_IF_OPTED_OUT) {
    return options.optedOut
      ? { action: "opt_in", match: "keyword", keyword, language: "en" }
      : null;
  }
  const phrase = findOptOutPhrase(folded);
  if (phrase === null) return null;
  return {
    action: "opt_out",
    match: "phrase",
    keyword: phrase.slice(0, PHRASE_CHARS_MAX),
    language: "en",
  };
}
