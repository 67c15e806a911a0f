import { foldText, wordsOf } from "@longwave/contract";

/** Names that people give codes and money to: a code that claims to be theirs is mostly a trap. */
export const RESERVED_NAMES: readonly string[] = [
  "amazon",
  "american express",
  "apple",
  "bank of america",
  "binance",
  "capital one",
  "cash app",
  "citibank",
  "coinbase",
  "facebook",
  "gmail",
  "google",
  "icloud",
  "instagram",
  "irs",
  "mastercard",
  "microsoft",
  "netflix",
  "paypal",
  "social security",
  "telegram",
  "usps",
  "venmo",
  "wells fargo",
  "whatsapp",
  "your bank",
  "zelle",
];

/** Characters that look alike in the fonts of phones, each by one of them. */
const DRAWN_ALIKE: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  q: "g",
  i: "l",
  j: "l",
  "|": "l",
  "!": "l",
  $: "s",
  "@": "a",
};
/** Pairs that look like one letter. */
const PAIRS: readonly (readonly [pair: string, letter: string])[] = [
  ["rn", "m"],
  ["vv", "w"],
  ["cl", "d"],
];
/** A shorter name is only found as whole words: `pineapple` contains `apple`. */
const PART_CHARS_MIN = 6;
/** Drawn like letters, or set between them. */
const LETTER_OR_SEPARATOR = /[|!$@]/g;
/** Drawn like b, and like L in names that are Cyrillic throughout. */
const SOFT_SIGN = /[Ьь]/g;
/** Between the words of `AppleSupport`. */
const CAPITAL_WITHIN = /(?<=\p{Ll})(?=\p{Lu})/gu;

interface Reserved {
  readonly whole: ReadonlySet<string>;
  readonly parts: readonly string[];
}

/** Folded once per list: it is asked for with every code. */
const folded = new WeakMap<readonly string[], Reserved>();

/**
 * Whether a name carries a reserved one: as whole words however they are spelt (`Pay-Pal`, `G00gle`,
 * `PayPaI`), or a longer one inside a word (`MYPAYPAL`).
 */
export function isReserved(name: string, reserved: readonly string[]): boolean {
  const known = folded.get(reserved) ?? foldReserved(reserved);
  folded.set(reserved, known);
  const spelt = name.replaceAll(CAPITAL_WITHIN, " ");
  const read = [name, spelt, spelt.replaceAll(LETTER_OR_SEPARATOR, " ")];
  return read
    .flatMap((one) => [one, one.replaceAll(SOFT_SIGN, "l")])
    .some((one) => carries(wordsIn(one), known));
}

/** Runs of words are compared without what stands between them. */
function carries(words: readonly string[], { whole, parts }: Reserved): boolean {
  const runs = words.flatMap((_, from) =>
    words.slice(from).map((_, more) => words.slice(from, from + more + 1).join("")),
  );
  return (
    runs.some((run) => whole.has(run)) ||
    words.some((word) => parts.some((part) => word.includes(part)))
  );
}

function foldReserved(reserved: readonly string[]): Reserved {
  const names = reserved.map((one) => wordsIn(one).join(""));
  return { whole: new Set(names), parts: names.filter(({ length }) => length >= PART_CHARS_MIN) };
}

function wordsIn(name: string): string[] {
  const drawn = [...foldText(name)]
    .map((character) => DRAWN_ALIKE[character] ?? character)
    .join("");
  return wordsOf(drawn).map((word) =>
    PAIRS.reduce((folded, [pair, letter]) => folded.replaceAll(pair, letter), word),
  );
}
