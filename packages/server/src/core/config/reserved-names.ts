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

const DIGITS_FOR_LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
};

/** Folded once per list: it is asked for with every code. */
const folded = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a name carries a reserved one as whole words, however it is spelt: `Pay-Pal`, `G00gle`. */
export function isReserved(name: string, reserved: readonly string[]): boolean {
  const known = folded.get(reserved) ?? new Set(reserved.map((one) => wordsIn(one).join("")));
  folded.set(reserved, known);
  const words = wordsIn(name);
  // Runs of words without what stands between them.
  return words.some((_, from) =>
    words.slice(from).some((_, more) => known.has(words.slice(from, from + more + 1).join(""))),
  );
}

function wordsIn(name: string): string[] {
  return wordsOf(foldText(name)).map((word) =>
    word.replaceAll(/\d/g, (digit) => DIGITS_FOR_LETTERS[digit] ?? digit),
  );
}
