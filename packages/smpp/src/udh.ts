/** A user data header: what stands before the text when esm_class has the UDHI bit. */
export interface UserDataHeader {
  /** Octets it takes, its length octet included. */
  readonly octets: number;
  readonly part: PartOf | null;
  /** National language tables it asks for: GSM 7-bit text behind it cannot be read without them. */
  readonly nationalTables: readonly string[];
}

/** Which part of a longer message this is. */
export interface PartOf {
  readonly reference: number;
  readonly total: number;
  /** 1 for the first. */
  readonly number: number;
}

export const UDHI = 0x40;

const IEI_CONCATENATED = 0x00;
const IEI_CONCATENATED_16_BIT = 0x08;
const IEI_NATIONAL_SINGLE_SHIFT = 0x24;
const IEI_NATIONAL_LOCKING_SHIFT = 0x25;

const LANGUAGES = [
  "the default alphabet",
  "Turkish",
  "Spanish",
  "Portuguese",
  "Bengali",
  "Gujarati",
  "Hindi",
  "Kannada",
  "Malayalam",
  "Oriya",
  "Punjabi",
  "Tamil",
  "Telugu",
  "Urdu",
];

/** The header that joins parts, with an 8-bit reference or a 16-bit one. */
export function concatenationHeader(part: PartOf, isWide: boolean): Buffer {
  const { reference, total, number } = part;
  return isWide
    ? Buffer.from([6, 8, 4, (reference >> 8) & 0xff, reference & 0xff, total, number])
    : Buffer.from([5, 0, 3, reference & 0xff, total, number]);
}

/** Reads the header at the start of the octets; null when it is longer than they are. */
export function readHeader(octets: Buffer): UserDataHeader | null {
  const length = octets[0];
  if (length === undefined || length + 1 > octets.length) return null;
  const end = length + 1;
  let part: PartOf | null = null;
  const nationalTables: string[] = [];
  let at = 1;
  while (at + 2 <= end) {
    const element = octets[at] as number;
    const data = octets.subarray(at + 2, Math.min(end, at + 2 + (octets[at + 1] as number)));
    part = partFrom(element, data) ?? part;
    const table = nationalTable(element, data);
    if (table && nationalTables.length < 2) nationalTables.push(table);
    at += 2 + (octets[at + 1] as number);
  }
  return { octets: end, part, nationalTables };
}

function partFrom(element: number, data: Buffer): PartOf | null {
  if (element === IEI_CONCATENATED && data.length === 3) {
    return validPart(data[0] as number, data[1] as number, data[2] as number);
  }
  if (element === IEI_CONCATENATED_16_BIT && data.length === 4) {
    return validPart(data.readUInt16BE(0), data[2] as number, data[3] as number);
  }
  return null;
}

/** Null where the numbers make no sense: such a text stands alone, as the specification says. */
export function validPart(reference: number, total: number, number: number): PartOf | null {
  if (total < 1 || number < 1 || number > total) return null;
  return { reference, total, number };
}

function nationalTable(element: number, data: Buffer): string | null {
  if (element !== IEI_NATIONAL_SINGLE_SHIFT && element !== IEI_NATIONAL_LOCKING_SHIFT) return null;
  const kind = element === IEI_NATIONAL_SINGLE_SHIFT ? "single" : "locking";
  const language = data[0] ?? 0;
  if (language === 0) return null;
  return `${LANGUAGES[language] ?? `language ${language}`}, ${kind} shift`;
}
