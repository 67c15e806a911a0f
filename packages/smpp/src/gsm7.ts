/** The GSM 03.38 default alphabet, in order; position 0x1b is the escape to the extension table. */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

// biome-ignore format: septet behind the escape, and the character
const EXTENSION: readonly (readonly [number, string])[] = [
  [0x0a, "\f"], [0x14, "^"], [0x28, "{"], [0x29, "}"], [0x2f, "\\"],
  [0x3c, "["], [0x3d, "~"], [0x3e, "]"], [0x40, "|"], [0x65, "€"],
];

export const ESCAPE = 0x1b;
/** € (U+20AC) is the highest character of the alphabet. */
const UNITS_KNOWN = 0x20ad;
/** Septet of each UTF-16 unit: 0xff when missing, bit 0x80 set for the extension table. */
const septetOf = new Uint8Array(UNITS_KNOWN).fill(0xff);
const EXTENSION_BIT = 0x80;
const NONE = 0xff;
for (const [septet, character] of [...BASIC].entries()) {
  if (septet !== ESCAPE) septetOf[character.charCodeAt(0)] = septet;
}
for (const [septet, character] of EXTENSION) {
  septetOf[character.charCodeAt(0)] = septet | EXTENSION_BIT;
}
const extensionOf = new Map(EXTENSION);

/** Septets that a UTF-16 unit takes: 1, 2 with the escape, 0 when the alphabet lacks it. */
export function gsm7Cost(unit: number): 0 | 1 | 2 {
  const septet = unit < UNITS_KNOWN ? (septetOf[unit] as number) : NONE;
  if (septet === NONE) return 0;
  return septet & EXTENSION_BIT ? 2 : 1;
}

/**
 * One septet per octet, as SMPP carries GSM 7-bit; null when a character is not in the alphabet.
 */
export function encodeGsm7(text: string): Buffer | null {
  const out = Buffer.allocUnsafe(text.length * 2);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const septet = unit < UNITS_KNOWN ? (septetOf[unit] as number) : NONE;
    if (septet === NONE) return null;
    if (septet & EXTENSION_BIT) out[size++] = ESCAPE;
    out[size++] = septet & 0x7f;
  }
  return out.subarray(0, size);
}

/** Decodes any septets: an unknown extension reads as its character of the basic table. */
export function decodeGsm7(septets: Buffer): string {
  let text = "";
  for (let i = 0; i < septets.length; i++) {
    const septet = (septets[i] as number) & 0x7f;
    if (septet !== ESCAPE) {
      text += BASIC[septet];
      continue;
    }
    i++;
    if (i >= septets.length) break;
    const next = (septets[i] as number) & 0x7f;
    // GSM 03.38: a second escape displays as a space.
    text += extensionOf.get(next) ?? (next === ESCAPE ? " " : BASIC[next]);
  }
  return text;
}

const CARRIAGE_RETURN = 0x0d;

/**
 * Packs eight septets into seven octets. `fillBits` zero bits come first, so that the body behind a
 * user data header starts at a septet boundary. Seven spare bits at the end would read as "@", so
 * they hold a carriage return, as GSM 03.38 specifies.
 */
export function packSeptets(septets: Buffer, fillBits = 0): Buffer {
  const out = Buffer.alloc(Math.ceil((septets.length * 7 + fillBits) / 8));
  let bit = fillBits;
  for (const septet of septets) {
    const at = bit >> 3;
    const shifted = septet << (bit & 7);
    out[at] = (out[at] as number) | (shifted & 0xff);
    if (shifted > 0xff) out[at + 1] = shifted >> 8;
    bit += 7;
  }
  if (out.length * 8 - bit === 7)
    out[out.length - 1] = (out.at(-1) as number) | (CARRIAGE_RETURN << 1);
  return out;
}

/** Unpacks septets, and drops a carriage return that pads the last seven bits. */
export function unpackSeptets(packed: Buffer, fillBits = 0): Buffer {
  const bits = packed.length * 8 - fillBits;
  const count = Math.max(0, Math.floor(bits / 7));
  const out = Buffer.alloc(count);
  for (let i = 0; i < count; i++) {
    const bit = fillBits + i * 7;
    const low = packed[bit >> 3] as number;
    const high = packed[(bit >> 3) + 1] ?? 0;
    out[i] = ((low | (high << 8)) >> (bit & 7)) & 0x7f;
  }
  const isPadded = bits % 7 === 0 && count > 0 && out[count - 1] === CARRIAGE_RETURN;
  return isPadded ? out.subarray(0, count - 1) : out;
}

/** Zero bits between a header of `headerOctets` (length octet included) and the first septet. */
export function fillBitsAfter(headerOctets: number): number {
  return (7 - ((headerOctets * 8) % 7)) % 7;
}
