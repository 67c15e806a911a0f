/** Distinguished Encoding Rules (X.690): the few types that a certificate consists of. */

const LONG_FORM = 0x80;

/** Tag, length and contents of one value. */
function encode(tag: number, ...contents: readonly Buffer[]): Buffer {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag]), lengthOf(length), ...contents]);
}

function lengthOf(length: number): Buffer {
  if (length < LONG_FORM) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([LONG_FORM | bytes.length]), bytes]);
}

export const sequence = (...items: readonly Buffer[]) => encode(0x30, ...items);
export const set = (...items: readonly Buffer[]) => encode(0x31, ...items);
export const octetString = (bytes: Buffer) => encode(0x04, bytes);
export const utf8String = (text: string) => encode(0x0c, Buffer.from(text));
export const boolean = (value: boolean) => encode(0x01, Buffer.from([value ? 0xff : 0]));

/** An INTEGER of these bytes: the first is below 0x80, and not zero before another below 0x80. */
export const integer = (bytes: Buffer) => encode(0x02, bytes);

export const bitString = (bytes: Buffer, unusedBits = 0) =>
  encode(0x03, Buffer.from([unusedBits]), bytes);

/** UTCTime, for the years 1950 to 2049. */
export function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, "").slice(2, 14);
  return encode(0x17, Buffer.from(`${digits}Z`));
}

/** OBJECT IDENTIFIER in dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return encode(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
    digits.unshift(LONG_FORM | (left % 128));
  }
  return digits;
}

/** A context-specific tag that wraps one value. */
export const explicit = (number: number, value: Buffer) => encode(0xa0 | number, value);
/** A context-specific tag in place of a primitive type's own. */
export const implicit = (number: number, contents: Buffer) => encode(0x80 | number, contents);
/** A context-specific tag in place of a SEQUENCE's own. */
export const implicitSequence = (number: number, ...items: readonly Buffer[]) =>
  encode(0xa0 | number, ...items);
