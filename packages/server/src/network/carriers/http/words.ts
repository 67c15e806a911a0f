import type { FieldCheck } from "../check-fields.ts";
import { ANY_WORD } from "./meanings.ts";

/** Meanings of a carrier's own codes. */
export type Words<M> = ReadonlyMap<string, M>;

/** Meanings of a carrier's codes: `{"queued": "accepted"}`. */
export function readWords<M extends string>(
  check: FieldCheck,
  name: string,
  meanings: readonly M[],
): Words<M> {
  const words = check.nested(name);
  return new Map(
    words.names().map((word) => [word, words.oneOf(word, meanings, meanings[0] as M)]),
  );
}

/** Meaning of a word: its own, that of the longest `beginning*`, or that of `*`. */
export function meaningIn<M>(words: Words<M>, word: string): M | undefined {
  const own = words.get(word);
  if (own !== undefined) return own;
  const beginnings = [...words.keys()].filter(
    (key) => key.endsWith(ANY_WORD) && word.startsWith(key.slice(0, -1)),
  );
  const longest = beginnings.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : words.get(longest);
}

export function lowerCased<M>(words: Words<M>): Words<M> {
  return new Map([...words].map(([word, one]) => [word.toLowerCase(), one]));
}
