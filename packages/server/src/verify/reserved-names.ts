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

/** Whether a name carries a reserved one as whole words, however it is spelt: `Pay-Pal`, `G00gle`. */
export function isReserved(name: string, reserved: readonly string[]): boolean {
  const words = wordsOf(foldText(name)).map((word) =>
    word.replaceAll(/\d/g, (digit) => DIGITS_FOR_LETTERS[digit] ?? digit),
  );
  // Runs of words without what stands between them.
  const runs = new Set(
    words.flatMap((_, from) =>
      words.slice(from).map((_, more) => words.slice(from, from + more + 1).join("")),
    ),
  );
  return reserved.some((one) => runs.has(wordsOf(foldText(one)).join("")));
}
