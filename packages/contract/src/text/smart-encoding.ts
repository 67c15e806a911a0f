/**
 * Typographic characters that force UCS-2, and their GSM replacements. Word processors and phones
 * insert them, and readers do not notice the replacement. Letters stay, because a name without its
 * accent is another name.
 */
import { countSegments, GSM7_CHARACTERS } from "./sms-segments.ts";

/** Replacements, by the characters that they replace. */
// biome-ignore format: one replacement per line, read as a table
const REPLACEMENTS: readonly (readonly [written: string, instead: string])[] = [
  ["\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u02c8\uff07\u2039\u203a`\u00b4", "'"],
  ["\u201c\u201d\u201e\u201f\u2033\u2036\u02ba\uff02\u00ab\u00bb\u301d\u301e", '"'],
  ["\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d", "-"],
  ["\u2026", "..."],
  ["\u2022\u2023\u25cf\u2219\u204e\u2217", "*"],
  ["\u00b7\u2024", "."],
  ["\u2044\u2215", "/"],
  ["\u201a", ","],
  ["\u00a6", "|"],
  ["\u02dc\u223c", "~"],
  ["\u02c6", "^"],
  ["\u2122", "(TM)"],
  ["\u00a9", "(C)"],
  ["\u00ae", "(R)"],
  ["\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "],
  ["\u0085\u2028\u2029\u000b", "\n"],
  ["\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0e\ufe0f", ""],
];

const insteadOf = new Map<string, string>();
for (const [written, instead] of REPLACEMENTS) {
  for (const character of written) {
    if (!insteadOf.has(character)) insteadOf.set(character, instead);
  }
}
const REPLACED = new RegExp(`[${[...insteadOf.keys()].join("")}]`, "g");
/** Characters that are neither in GSM nor replaceable: one of them keeps the whole body UCS-2. */
const KEEPS_UCS2 = new RegExp(
  `[^${[...insteadOf.keys(), ...GSM7_CHARACTERS].join("").replace(/[\\\]^-]/g, "\\$&")}]`,
);

/**
 * Replaces typographic characters if the whole body then fits GSM without more segments; null
 * otherwise.
 */
export function smartEncoded(body: string): string | null {
  if (KEEPS_UCS2.test(body)) return null;
  const before = countSegments(body);
  if (before.encoding === "gsm7") return null;
  const text = body.replace(REPLACED, (character) => insteadOf.get(character) ?? "");
  const after = countSegments(text);
  return after.encoding === "gsm7" && after.segments <= before.segments ? text : null;
}
