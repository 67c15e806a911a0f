/**
 * How many SMS a text takes, and where it is cut.
 *
 * A text that the GSM 03.38 alphabet can write holds 160 septets, or 153 in each part once it needs
 * more than one (six bytes go to the header that joins the parts). Any other text is UCS-2: 70 units
 * of UTF-16, or 67. A character that takes two places, an extension character behind its escape or
 * a surrogate pair, is never cut in half: it moves to the next part whole, so the count is a
 * packing and not a division.
 */

export type SmsEncoding = "gsm7" | "ucs2";

export interface SegmentCount {
  readonly encoding: SmsEncoding;
  readonly segments: number;
  /** Septets or UTF-16 units of the text itself, without headers and without gaps at the seams. */
  readonly units: number;
  /** The distinct characters that the GSM alphabet lacks, in order of appearance, at most 20. */
  readonly ucs2Characters: readonly string[];
}

export const UCS2_CHARACTERS_MAX = 20;

const GSM7_UNITS_SINGLE = 160;
const GSM7_UNITS_PART = 153;
const UCS2_UNITS_SINGLE = 70;
const UCS2_UNITS_PART = 67;

const GSM7_BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const GSM7_EXTENSION = "\f^{}\\[~]|€";
export const GSM7_CHARACTERS = GSM7_BASIC + GSM7_EXTENSION;

/** Septets that a UTF-16 unit takes; 0 where the alphabet lacks it. € (U+20AC) is the highest entry. */
const gsm7Cost = new Uint8Array(0x20ad);
for (const character of GSM7_BASIC) gsm7Cost[character.charCodeAt(0)] = 1;
for (const character of GSM7_EXTENSION) gsm7Cost[character.charCodeAt(0)] = 2;

const NO_CHARACTERS: readonly string[] = Object.freeze([]);

/** UTF-16 units of the character at an index: 2 for a surrogate pair, else 1 (half a pair included). */
function unitsAt(body: string, index: number): 1 | 2 {
  const unit = body.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdbff) return 1;
  const next = body.charCodeAt(index + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}

/** The count in GSM 03.38, or null at the first character it lacks. */
function countGsm7(body: string): SegmentCount | null {
  let units = 0;
  let parts = 1;
  let used = 0;
  for (let i = 0; i < body.length; i++) {
    const cost = gsm7Cost[body.charCodeAt(i)];
    if (!cost) return null;
    units += cost;
    used += cost;
    if (used > GSM7_UNITS_PART) {
      parts++;
      used = cost;
    }
  }
  const segments = units <= GSM7_UNITS_SINGLE ? 1 : parts;
  return { encoding: "gsm7", segments, units, ucs2Characters: NO_CHARACTERS };
}

function countUcs2Segments(body: string): number {
  if (body.length <= UCS2_UNITS_SINGLE) return 1;
  let parts = 1;
  let used = 0;
  for (let i = 0; i < body.length; ) {
    const cost = unitsAt(body, i);
    used += cost;
    if (used > UCS2_UNITS_PART) {
      parts++;
      used = cost;
    }
    i += cost;
  }
  return parts;
}

function charactersOutsideGsm7(body: string): string[] {
  const found: string[] = [];
  for (let i = 0; i < body.length && found.length < UCS2_CHARACTERS_MAX; ) {
    const length = unitsAt(body, i);
    if (length === 2 || !gsm7Cost[body.charCodeAt(i)]) {
      const character = body.slice(i, i + length);
      if (!found.includes(character)) found.push(character);
    }
    i += length;
  }
  return found;
}

/** Encoding and number of segments of a text. An empty text is one segment, as an empty SMS is. */
export function countSegments(body: string): SegmentCount {
  return (
    countGsm7(body) ?? {
      encoding: "ucs2",
      segments: countUcs2Segments(body),
      units: body.length,
      ucs2Characters: charactersOutsideGsm7(body),
    }
  );
}

/** The text of each part, in order. Joined they are the text. */
export function splitSegments(body: string): string[] {
  const { encoding, segments } = countSegments(body);
  if (segments === 1) return [body];
  const partUnits = encoding === "gsm7" ? GSM7_UNITS_PART : UCS2_UNITS_PART;
  const parts: string[] = [];
  let start = 0;
  let used = 0;
  for (let i = 0; i < body.length; ) {
    const length = encoding === "gsm7" ? 1 : unitsAt(body, i);
    const cost = encoding === "gsm7" ? (gsm7Cost[body.charCodeAt(i)] ?? 1) : length;
    used += cost;
    if (used > partUnits) {
      parts.push(body.slice(start, i));
      start = i;
      used = cost;
    }
    i += length;
  }
  parts.push(body.slice(start));
  return parts;
}
