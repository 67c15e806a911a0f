/**
 * Number of SMS segments of a message, and where it is split.
 *
 * GSM 03.38 fits 160 septets, or 153 per part of a longer message (six bytes hold the concatenation
 * header). Anything else is UCS-2: 70 UTF-16 units, or 67. An extension character with its escape,
 * and a surrogate pair, take two units and move whole to the next part. The count is therefore a
 * packing, not a division.
 */

export type SmsEncoding = "gsm7" | "ucs2";

export interface SegmentCount {
  readonly encoding: SmsEncoding;
  readonly segments: number;
  /** Septets or UTF-16 units of the body, without headers and without gaps between parts. */
  readonly units: number;
  /** Distinct characters that the GSM alphabet lacks, in order of appearance, at most 20. */
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

/**
 * Septets that a UTF-16 unit takes; 0 when the alphabet lacks it. € (U+20AC) is the highest entry.
 */
const gsm7Cost = new Uint8Array(0x20ad);
for (const character of GSM7_BASIC) gsm7Cost[character.charCodeAt(0)] = 1;
for (const character of GSM7_EXTENSION) gsm7Cost[character.charCodeAt(0)] = 2;

const NO_CHARACTERS: readonly string[] = Object.freeze([]);

/**
 * UTF-16 units of the character at an index: 2 for a surrogate pair, else 1 (half a pair included).
 */
function unitsAt(body: string, index: number): 1 | 2 {
  const unit = body.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdbff) return 1;
  const next = body.charCodeAt(index + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}

/** GSM 03.38 count; null when the alphabet lacks a character. */
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

/** Encoding and segment count of a body. An empty body is one segment, like an empty SMS. */
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

/** Bodies of the parts, in order; their concatenation is the body. */
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
