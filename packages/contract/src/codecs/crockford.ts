/**
 * UUIDs as 26 lower-case characters of Crockford's base32: the part of an id after its prefix.
 *
 * 26 characters hold 130 bits and a UUID has 128, so the first character is at most 7. The encoding
 * is big-endian, so ids sort as their UUIDs do. Decoding rejects upper case and the look-alikes i,
 * l, o and u: one id has one spelling, so ids can be compared as strings.
 */

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const UUID_BYTES = 16;
const BASE32_UUID_CHARS = 26;

/** Value of each ASCII character, or 255. */
function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(255);
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  return values;
}
const BASE32_VALUES = valuesOf(ALPHABET);
const HEX_VALUES = valuesOf("0123456789abcdef");
for (const letter of "abcdef") {
  HEX_VALUES[letter.toUpperCase().charCodeAt(0)] = HEX_VALUES[letter.charCodeAt(0)] ?? 255;
}
const HEX_PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** 16 bytes as 26 characters. */
export function encodeUuidBytes(bytes: Uint8Array): string {
  if (bytes.length !== UUID_BYTES) {
    throw new RangeError(`A UUID has 16 bytes, not ${bytes.length}.`);
  }
  // The two bits that 130 has over 128 are leading zeros, so the first byte starts at bit 2.
  let text = "";
  let pending = 0;
  let pendingBits = 2;
  for (let i = 0; i < UUID_BYTES; i++) {
    pending = (pending << 8) | (bytes[i] ?? 0);
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      text += ALPHABET[(pending >>> pendingBits) & 31];
    }
    pending &= 31;
  }
  return text;
}

/** Decodes 26 characters to 16 bytes; null when the string is no UUID. */
export function decodeUuidBytes(text: string): Uint8Array | null {
  if (text.length !== BASE32_UUID_CHARS || text.charCodeAt(0) > 55) return null;
  const bytes = new Uint8Array(UUID_BYTES);
  let filled = 0;
  let pending = 0;
  let pendingBits = -2;
  for (let i = 0; i < BASE32_UUID_CHARS; i++) {
    const value = BASE32_VALUES[text.charCodeAt(i)] ?? 255;
    if (value === 255) return null;
    pending = ((pending & 255) << 5) | value;
    pendingBits += 5;
    if (pendingBits >= 8) {
      pendingBits -= 8;
      bytes[filled++] = (pending >>> pendingBits) & 255;
    }
  }
  return bytes;
}

/** Parses a UUID of 36 characters, in either case; null when invalid. */
export function uuidToBytes(uuid: string): Uint8Array | null {
  if (uuid.length !== 36) return null;
  const bytes = new Uint8Array(UUID_BYTES);
  let at = 0;
  for (let i = 0; i < UUID_BYTES; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) {
      if (uuid.charCodeAt(at++) !== 45) return null;
    }
    const high = HEX_VALUES[uuid.charCodeAt(at++)] ?? 255;
    const low = HEX_VALUES[uuid.charCodeAt(at++)] ?? 255;
    if (high === 255 || low === 255) return null;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/** Formats 16 bytes as a lower-case UUID of 36 characters. */
export function bytesToUuid(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < UUID_BYTES; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
    text += HEX_PAIRS[bytes[i] ?? 0];
  }
  return text;
}

/** Encodes a UUID of 36 characters in 26. Throws on anything else, which is a caller's bug. */
export function encodeUuid(uuid: string): string {
  const bytes = uuidToBytes(uuid);
  if (!bytes) throw new RangeError("encodeUuid takes a UUID of 36 characters.");
  return encodeUuidBytes(bytes);
}

/** Decodes 26 characters of untrusted input to a UUID of 36; null when invalid. */
export function decodeUuid(text: string): string | null {
  const bytes = decodeUuidBytes(text);
  return bytes && bytesToUuid(bytes);
}
