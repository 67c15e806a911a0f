import {
  decodeGsm7,
  encodeGsm7,
  fillBitsAfter,
  gsm7Cost,
  packSeptets,
  unpackSeptets,
} from "./gsm7.ts";

/** Meaning of data_coding 0, "the SMSC's default alphabet", at a carrier. */
export type Alphabet = "gsm7" | "ascii" | "latin1";
export type Charset = Alphabet | "ucs2";

export interface CharsetOptions {
  /** Meaning of data_coding 0, in both directions. */
  readonly alphabet: Alphabet;
  /** GSM 7-bit packed, eight septets in seven octets; hardly any carrier wants it. */
  readonly isPacked: boolean;
}

export const DATA_CODING = { default: 0, ia5: 1, latin1: 3, ucs2: 8 } as const;

interface CharsetSpec {
  readonly dataCoding: number;
  /**
   * Capacity of a message of one part, and of each part of a longer one (less with 16-bit
   * references).
   */
  readonly unitsSingle: number;
  readonly unitsPart: number;
  readonly unitsPartWideReference: number;
}

/**
 * Units are septets for GSM 7-bit and for ASCII (which the SMSC converts), octets for Latin-1,
 * UTF-16 units for UCS-2. A header takes six of 140 octets, seven with a 16-bit reference.
 */
// biome-ignore format: one charset per line, read as a table
export const CHARSETS: Readonly<Record<Charset, CharsetSpec>> = {
  gsm7:   { dataCoding: 0, unitsSingle: 160, unitsPart: 153, unitsPartWideReference: 152 },
  ascii:  { dataCoding: 0, unitsSingle: 160, unitsPart: 153, unitsPartWideReference: 152 },
  latin1: { dataCoding: 0, unitsSingle: 140, unitsPart: 134, unitsPartWideReference: 133 },
  ucs2:   { dataCoding: 8, unitsSingle: 70,  unitsPart: 67,  unitsPartWideReference: 66 },
};

/** Chooses the default alphabet, or UCS-2 when the alphabet lacks a character. */
export function charsetFor(text: string, alphabet: Alphabet): Charset {
  for (let i = 0; i < text.length; i++) {
    if (unitCost(text.charCodeAt(i), alphabet) === 0) return "ucs2";
  }
  return alphabet;
}

/** Units that one UTF-16 unit takes; 0 when the charset lacks it. */
export function unitCost(unit: number, charset: Charset): number {
  if (charset === "gsm7") return gsm7Cost(unit);
  if (charset === "ascii") return unit > 0 && unit < 0x80 ? gsm7Cost(unit) || 1 : 0;
  if (charset === "latin1") return unit > 0 && unit < 0x100 ? 1 : 0;
  return 1;
}

/**
 * Encodes a string in a charset that has all its characters, to follow `headerOctets` octets of
 * header.
 */
export function encodeText(
  text: string,
  charset: Charset,
  isPacked: boolean,
  headerOctets: number,
): Buffer {
  if (charset === "ucs2") return Buffer.from(text, "utf16le").swap16();
  if (charset !== "gsm7") return Buffer.from(text, "latin1");
  const septets = encodeGsm7(text);
  if (!septets) throw new RangeError("The text has characters that GSM 7-bit lacks.");
  return isPacked ? packSeptets(septets, fillBitsAfter(headerOctets)) : septets;
}

export interface DecodedText {
  readonly text: string;
  /** False for an unknown data_coding: `text` is then the octets as Latin-1. */
  readonly isKnown: boolean;
}

/** Charset of a data_coding; null when unknown. */
export function charsetOf(dataCoding: number, alphabet: Alphabet): Charset | null {
  if (dataCoding === DATA_CODING.default) return alphabet;
  if (dataCoding === DATA_CODING.ia5) return "ascii";
  if (dataCoding === DATA_CODING.latin1) return "latin1";
  if (dataCoding === DATA_CODING.ucs2) return "ucs2";
  // Message waiting and message class groups of GSM 03.38: 7-bit, or UCS-2 in 0xE0 to 0xEF.
  if (dataCoding >= 0xc0 && dataCoding <= 0xdf) return "gsm7";
  if (dataCoding >= 0xe0 && dataCoding <= 0xef) return "ucs2";
  if (dataCoding >= 0xf0 && (dataCoding & 0x04) === 0) return "gsm7";
  return null;
}

/** Decodes the body of a message. Never throws; unknown codings read as Latin-1. */
export function decodeText(
  octets: Buffer,
  dataCoding: number,
  options: CharsetOptions,
  headerOctets = 0,
): DecodedText {
  const charset = charsetOf(dataCoding, options.alphabet);
  if (charset === null) return { text: octets.toString("latin1"), isKnown: false };
  if (charset === "gsm7") {
    const septets = options.isPacked ? unpackSeptets(octets, fillBitsAfter(headerOctets)) : octets;
    return { text: decodeGsm7(septets), isKnown: true };
  }
  if (charset !== "ucs2") return { text: octets.toString("latin1"), isKnown: true };
  // An odd octet at the end is half a character: drop it.
  const even = Buffer.from(octets.subarray(0, octets.length - (octets.length % 2)));
  return { text: even.swap16().toString("utf16le"), isKnown: true };
}
