/** User data header, which precedes the body when esm_class has the UDHI bit. */
export interface UserDataHeader {
  /** Length in octets, length octet included. */
  readonly octets: number;
  readonly part: PartOf | null;
  /** National language tables that the GSM 7-bit body needs to be decoded. */
  readonly nationalTables: readonly string[];
}

/** Position of a part within a longer message. */
export interface PartOf {
  readonly reference: number;
  readonly total: number;
  /** Counts from 1. */
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

/** Concatenation header, with an 8-bit or a 16-bit reference. */
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

/** Null for inconsistent numbers: the specification then treats the message as unsplit. */
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
