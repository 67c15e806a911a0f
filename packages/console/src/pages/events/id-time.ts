const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_BITS_OF_ID = 48;
const ID_BITS = 128;
const BITS_PER_CHARACTER = 5;

/**
 * The time in an id, in milliseconds: a UUIDv7 begins with 48 bits of it. Null for anything else.
 */
export function idTimeMs(id: string): number | null {
  const suffix = id.slice(id.lastIndexOf("_") + 1);
  if (suffix.length !== 26) return null;
  let value = 0n;
  for (const character of suffix) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) return null;
    value = (value << BigInt(BITS_PER_CHARACTER)) | BigInt(digit);
  }
  return Number(value >> BigInt(ID_BITS - TIME_BITS_OF_ID));
}
