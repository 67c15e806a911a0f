import type { PduOf } from "./pdu.ts";
import { messageOctets } from "./received-text.ts";
import { tlvValue } from "./tlvs.ts";

/** Bits 5 to 2 of esm_class: the message type of a deliver_sm or data_sm. */
const MESSAGE_TYPE_MASK = 0x3c;
const MESSAGE_TYPES = new Map([
  [0x04, "receipt"],
  [0x08, "receipt"],
  [0x10, "receipt"],
  [0x20, "intermediate"],
] as const);

export type ReceiptState =
  | "ENROUTE"
  | "DELIVRD"
  | "EXPIRED"
  | "DELETED"
  | "UNDELIV"
  | "ACCEPTD"
  | "UNKNOWN"
  | "REJECTD";

/** message_state, by number. */
// biome-ignore format: read as a table
const STATES: readonly (ReceiptState | null)[] = [
  null, "ENROUTE", "DELIVRD", "EXPIRED", "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN", "REJECTD",
];

/** Spellings of `stat`; others are kept in `stat` and have no state. */
const STATE_SPELLINGS = new Map<string, ReceiptState>([
  ...STATES.filter((state) => state !== null).map((state) => [state, state] as const),
  ["DELIVERED", "DELIVRD"],
  ["UNDELIVERABLE", "UNDELIV"],
  ["UNDELIVERED", "UNDELIV"],
  ["FAILED", "UNDELIV"],
  ["ACCEPTED", "ACCEPTD"],
  ["REJECTED", "REJECTD"],
  ["BUFFRED", "ENROUTE"],
  ["BUFFERD", "ENROUTE"],
  ["BUFFERED", "ENROUTE"],
  ["ACKED", "ENROUTE"],
]);

export interface DeliveryReceipt {
  /** Ids in receipted_message_id and in the text: some carriers spell them differently. */
  readonly tlvId: string | null;
  readonly textId: string | null;
  readonly state: ReceiptState | null;
  /** Spelling of the text or of message_state, or null. */
  readonly stat: string | null;
  /** The carrier's own error code: from the text, else from network_error_code. */
  readonly error: string | null;
  /** Intermediate notifications are never final, whatever their state. */
  readonly isIntermediate: boolean;
  readonly userMessageReference: number | null;
  readonly submitDate: string | null;
  readonly doneDate: string | null;
  /** Receipt text as received. */
  readonly raw: string;
}

export interface ReceiptOptions {
  /** For carriers that send receipts with esm_class 0: recognizes receipts by their text. */
  readonly detectByText?: boolean;
}

/** Longer than any receipt; octets behind are ignored. */
const TEXT_OCTETS_MAX = 1_024;

/** Reads a receipt, TLVs first and text second; null when the PDU is no receipt. Never throws. */
export function readReceipt(
  pdu: PduOf<"deliver_sm"> | PduOf<"data_sm">,
  options: ReceiptOptions = {},
): DeliveryReceipt | null {
  const type = MESSAGE_TYPES.get((pdu.fields.esm_class & MESSAGE_TYPE_MASK) as 0x04);
  const isPlain = (pdu.fields.esm_class & MESSAGE_TYPE_MASK) === 0;
  if (!type && !(isPlain && options.detectByText)) return null;
  const raw = receiptText(messageOctets(pdu));
  const text = parseReceiptText(raw);
  if (!type && !(text.id && text.stat)) return null;
  const stateNumber = tlvValue(pdu.tlvs, "message_state");
  const tlvState = stateNumber === undefined ? null : (STATES[stateNumber] ?? null);
  const textState = text.stat ? (STATE_SPELLINGS.get(text.stat.toUpperCase()) ?? null) : null;
  const tlvId = tlvValue(pdu.tlvs, "receipted_message_id");
  return {
    tlvId: tlvId ? tlvId : null,
    textId: text.id,
    state: tlvState ?? textState,
    stat: text.stat ?? tlvState,
    error: text.err ?? networkError(pdu),
    isIntermediate: type === "intermediate",
    userMessageReference: tlvValue(pdu.tlvs, "user_message_reference") ?? null,
    submitDate: text.submitDate,
    doneDate: text.doneDate,
    raw,
  };
}

/** network_error_code: one octet of network type, two of error code. */
function networkError(pdu: PduOf<"deliver_sm"> | PduOf<"data_sm">): string | null {
  const value = tlvValue(pdu.tlvs, "network_error_code");
  if (value?.length !== 3) return null;
  return String(value.readUInt16BE(1)).padStart(3, "0");
}

/**
 * Receipts are ASCII whatever data_coding claims; UTF-16 is recognized by zeros in every other
 * octet.
 */
function receiptText(octets: Buffer): string {
  const some = octets.subarray(0, TEXT_OCTETS_MAX);
  if (some.length >= 2 && some.length % 2 === 0 && hasZerosAtEvenPlaces(some)) {
    return Buffer.from(some).swap16().toString("utf16le");
  }
  return some.toString("latin1");
}

function hasZerosAtEvenPlaces(octets: Buffer): boolean {
  for (let i = 0; i < octets.length; i += 2) if (octets[i] !== 0) return false;
  return true;
}

export interface ReceiptText {
  readonly id: string | null;
  readonly stat: string | null;
  readonly err: string | null;
  readonly submitDate: string | null;
  readonly doneDate: string | null;
}

const KEYS = /(?:^|\s)(id|sub|dlvrd|submit ?date|done ?date|stat|err|text) ?:([^\s]*)/gi;

/**
 * Parses `id:… sub:… dlvrd:… submit date:… done date:… stat:… err:… text:…`. Keys may be missing,
 * in any order and case. The first of each counts; `text` may hold anything, so it ends the
 * parsing.
 */
export function parseReceiptText(raw: string): ReceiptText {
  const found = new Map<string, string>();
  for (const [, key = "", value = ""] of raw.matchAll(KEYS)) {
    const name = key.toLowerCase().replace(" ", "");
    if (name === "text") break;
    if (!found.has(name)) found.set(name, value);
  }
  const given = (name: string) => found.get(name) || null;
  return {
    id: given("id"),
    stat: given("stat"),
    err: given("err"),
    submitDate: given("submitdate"),
    doneDate: given("donedate"),
  };
}
