/** Digits in a row by which numbers are found: shorter ones stand in so many numbers that no index is needed. */
export const GRAM_DIGITS = 4;

/** Every four digits in a row, as numbers, each once. */
export function gramsOf(digits: string): number[] {
  const grams = new Set<number>();
  for (let start = 0; start + GRAM_DIGITS <= digits.length; start += 1) {
    grams.add(Number(digits.slice(start, start + GRAM_DIGITS)));
  }
  return [...grams];
}
