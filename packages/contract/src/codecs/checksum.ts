/**
 * Shape of an API key: its prefix, 32 random base62 characters, and 6 base62 characters of their
 * CRC-32. The checksum rejects mistyped keys without a database query, and lets secret scanners
 * recognize real keys. It protects nothing: only the hash in the database does.
 */

export const KEY_PREFIXES = { test: "svc_sk_test_", live: "svc_sk_live_" } as const;
/** Prefixes of imported keys, stored by their hash: no fixed length, no checksum. */
export const OLDER_KEY_PREFIXES = ["sk_test_", "sk_live_"] as const;
export const KEY_RANDOM_CHARS = 32;
const KEY_CHECKSUM_CHARS = 6;

export const BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const CRC32_POLYNOMIAL = 0xedb88320;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC32_POLYNOMIAL : crc >>> 1;
  return crc;
});

/** CRC-32 (as in zip and PNG) of a string's UTF-8 bytes. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Base62, most significant digit first, zero-padded to `chars`. */
export function base62(value: number, chars: number): string {
  let text = "";
  for (let rest = value, i = 0; i < chars; i++) {
    text = BASE62_ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Last six characters of a key, computed from the characters before. */
export function keyChecksum(prefixAndRandom: string): string {
  return base62(crc32(prefixAndRandom), KEY_CHECKSUM_CHARS);
}

const KEY = new RegExp(
  `^(?:${Object.values(KEY_PREFIXES).join("|")})[0-9A-Za-z]{${KEY_RANDOM_CHARS + KEY_CHECKSUM_CHARS}}$`,
);

/** True for a current prefix, the right length and alphabet, and a matching checksum. */
export function isWellFormedKey(key: string): boolean {
  if (!KEY.test(key)) return false;
  return keyChecksum(key.slice(0, -KEY_CHECKSUM_CHARS)) === key.slice(-KEY_CHECKSUM_CHARS);
}
