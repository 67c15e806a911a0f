import {
  COMMANDS,
  type CommandName,
  type CommandSpec,
  commandName,
  type FieldsOf,
  isResponseId,
} from "./commands.ts";
import { FieldError } from "./fields.ts";
import { STATUSES } from "./statuses.ts";
import type { Tlv } from "./tlvs.ts";

export const HEADER_OCTETS = 16;
/** message_payload may hold 64 KiB; the rest of a PDU fits in another 64 KiB. */
export const PDU_OCTETS_MAX = 128 * 1024;
export const SEQUENCE_MAX = 0x7fffffff;
/** Octets behind this many TLVs are kept unparsed. */
const TLVS_MAX = 256;
const TLV_HEADER_OCTETS = 4;
const NO_TLVS: readonly Tlv[] = Object.freeze([]);

export interface PduOf<Name extends CommandName> {
  readonly command: Name;
  readonly status: number;
  readonly sequence: number;
  readonly fields: Readonly<FieldsOf<Name>>;
  readonly tlvs: readonly Tlv[];
  /** Octets behind the body that are not TLVs. */
  readonly trailing: Buffer | null;
}

export type Pdu = { [Name in CommandName]: PduOf<Name> }[CommandName];

/** PDU to encode; missing fields are 0 or empty. */
export interface PduInput<Name extends CommandName = CommandName> {
  readonly command: Name;
  readonly sequence: number;
  readonly status?: number;
  readonly fields?: Readonly<Partial<FieldsOf<Name>>>;
  readonly tlvs?: readonly Tlv[];
}

/** A PDU that cannot be decoded, except for its header. Respond with `answerStatus`. */
export interface Unreadable {
  readonly command: null;
  readonly commandId: number;
  /** Set when the command is known and only the body is broken. */
  readonly name: CommandName | null;
  readonly isResponse: boolean;
  readonly sequence: number;
  /** The peer's command_status, in a response. */
  readonly status: number;
  /** command_status to respond with. */
  readonly answerStatus: number;
  readonly reason: string;
}

const U8 = 0;
const CSTRING = 1;
const OCTETS = 2;
const KINDS = { u8: U8, cstring: CSTRING, octets: OCTETS } as const;

/**
 * A row of the command table, prepared for the loops below: they avoid property lookups by kind.
 */
interface Layout {
  readonly name: CommandName;
  readonly id: number;
  readonly names: readonly string[];
  readonly kinds: Uint8Array;
  readonly octetsMax: readonly number[];
  readonly hasTlvs: boolean;
  readonly isResponse: boolean;
  readonly bodyOnError: boolean;
}

const layouts = new Map<string, Layout>();
const layoutsById = new Map<number, Layout>();
for (const name of Object.keys(COMMANDS) as CommandName[]) {
  const spec: CommandSpec = COMMANDS[name];
  const layout: Layout = {
    name,
    id: spec.id,
    names: spec.fields.map((field) => field.name),
    kinds: Uint8Array.from(spec.fields, (field) => KINDS[field.kind]),
    octetsMax: spec.fields.map((field) => (field.kind === "u8" ? 0xff : field.octetsMax)),
    hasTlvs: spec.tlvs,
    isResponse: isResponseId(spec.id),
    bodyOnError: spec.bodyOnError ?? true,
  };
  layouts.set(name, layout);
  layoutsById.set(spec.id, layout);
}

type Values = Record<string, number | string | Buffer | undefined>;
const NO_VALUES: Values = Object.freeze({});
const NO_OCTETS = Buffer.alloc(0);

/** Encodes a PDU. Throws a FieldError when a value does not fit its field. */
export function encodePdu<Name extends CommandName>(pdu: PduInput<Name>): Buffer {
  const layout = layouts.get(pdu.command);
  if (!layout) throw new FieldError("command", "the name of a PDU of SMPP 3.4");
  const status = pdu.status ?? 0;
  const hasBody = status === 0 || layout.bodyOnError;
  const values = (pdu.fields as Values | undefined) ?? NO_VALUES;
  const tlvs = pdu.tlvs ?? NO_TLVS;
  let size = HEADER_OCTETS + (hasBody ? bodySize(layout, values) : 0);
  for (let i = 0; i < tlvs.length; i++) size += TLV_HEADER_OCTETS + (tlvs[i] as Tlv).value.length;
  if (size > PDU_OCTETS_MAX) throw new FieldError("PDU", `at most ${PDU_OCTETS_MAX} octets`);
  const out = Buffer.allocUnsafe(size);
  writeU32(out, 0, size);
  writeU32(out, 4, layout.id);
  writeU32(out, 8, status);
  writeU32(out, 12, pdu.sequence);
  let at = hasBody ? writeBody(out, layout, values) : HEADER_OCTETS;
  for (let i = 0; i < tlvs.length; i++) at = writeTlv(out, at, tlvs[i] as Tlv);
  return out;
}

function bodySize(layout: Layout, values: Values): number {
  const { names, kinds } = layout;
  let size = 0;
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i];
    if (kind === U8) size += 1;
    else size += 1 + ((values[names[i] as string] as string | Buffer | undefined)?.length ?? 0);
  }
  return size;
}

function writeBody(out: Buffer, layout: Layout, values: Values): number {
  const { names, kinds, octetsMax } = layout;
  let at = HEADER_OCTETS;
  for (let i = 0; i < kinds.length; i++) {
    const name = names[i] as string;
    const value = values[name];
    const max = octetsMax[i] as number;
    const kind = kinds[i];
    if (kind === U8) at = writeU8(out, at, name, (value ?? 0) as number);
    else if (kind === CSTRING) at = writeCString(out, at, name, (value ?? "") as string, max);
    else at = writeOctets(out, at, name, (value ?? NO_OCTETS) as Buffer, max);
  }
  return at;
}

function writeU8(out: Buffer, at: number, name: string, value: number): number {
  // Also refuses fractions: only integers equal their lowest octet.
  if ((value & 0xff) !== value) throw new FieldError(name, "a whole number from 0 to 255");
  out[at] = value;
  return at + 1;
}

function writeCString(out: Buffer, at: number, name: string, text: string, max: number): number {
  const { length } = text;
  if (length >= max) throw new FieldError(name, `at most ${max - 1} characters`);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0 || code > 0xff) throw new FieldError(name, "Latin-1 characters other than NUL");
    out[at + i] = code;
  }
  out[at + length] = 0;
  return at + length + 1;
}

function writeOctets(out: Buffer, at: number, name: string, octets: Buffer, max: number): number {
  const { length } = octets;
  if (length > max) throw new FieldError(name, `at most ${max} octets`);
  out[at] = length;
  out.set(octets, at + 1);
  return at + 1 + length;
}

function writeTlv(out: Buffer, at: number, { tag, value }: Tlv): number {
  out[at] = tag >>> 8;
  out[at + 1] = tag;
  out[at + 2] = value.length >>> 8;
  out[at + 3] = value.length;
  out.set(value, at + TLV_HEADER_OCTETS);
  return at + TLV_HEADER_OCTETS + value.length;
}

function writeU32(out: Buffer, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

function readU32(from: Buffer, at: number): number {
  const high = ((from[at] as number) << 8) | (from[at + 1] as number);
  const low = ((from[at + 2] as number) << 8) | (from[at + 3] as number);
  return high * 0x10000 + low;
}

/**
 * Decodes one whole PDU from the framer. Never throws. Accepts over-long strings and truncated
 * responses, because peers send both. The octets in the result are views of `frame`.
 */
export function decodePdu(frame: Buffer): Pdu | Unreadable {
  const commandId = readU32(frame, 4);
  const layout = layoutsById.get(commandId);
  if (!layout) return unreadable(frame, "its command is unknown", STATUSES.ESME_RINVCMDID.code);
  const reader: Reader = { frame, at: HEADER_OCTETS };
  const fields = readBody(reader, layout);
  if (!fields) return unreadable(frame, "its body ends early", STATUSES.ESME_RINVCMDLEN.code);
  const tlvs = layout.hasTlvs && reader.at < frame.length ? readTlvs(reader) : NO_TLVS;
  const pdu: PduOf<CommandName> = {
    command: layout.name,
    status: readU32(frame, 8),
    sequence: readU32(frame, 12),
    fields: fields as FieldsOf<CommandName>,
    tlvs,
    trailing: reader.at < frame.length ? frame.subarray(reader.at) : null,
  };
  return pdu as Pdu;
}

interface Reader {
  readonly frame: Buffer;
  at: number;
}

function readBody(reader: Reader, layout: Layout): Values | null {
  const { names, kinds, isResponse } = layout;
  const end = reader.frame.length;
  const values: Values = {};
  for (let i = 0; i < kinds.length; i++) {
    // A response may end early; a request may not.
    if (reader.at >= end && !isResponse) return null;
    const value = readField(reader, kinds[i] as number, isResponse);
    if (value === null) return null;
    values[names[i] as string] = value;
  }
  return values;
}

function readField(reader: Reader, kind: number, isResponse: boolean) {
  if (kind === CSTRING) return readCString(reader, isResponse);
  if (kind === OCTETS) return readOctets(reader);
  return reader.at < reader.frame.length ? (reader.frame[reader.at++] as number) : 0;
}

/** Null when the string is unterminated. Only a response may leave out its last NUL. */
function readCString(reader: Reader, mayLackNul: boolean): string | null {
  const { frame, at } = reader;
  let end = at;
  while (end < frame.length && frame[end] !== 0) end++;
  if (end === frame.length && !mayLackNul) return null;
  reader.at = end < frame.length ? end + 1 : end;
  return end === at ? "" : frame.toString("latin1", at, end);
}

function readOctets(reader: Reader): Buffer | null {
  const { frame, at } = reader;
  const length = frame[at] ?? 0;
  const end = at + 1 + length;
  if (end > frame.length) return null;
  reader.at = end;
  return length === 0 ? NO_OCTETS : frame.subarray(at + 1, end);
}

function readTlvs(reader: Reader): Tlv[] {
  const { frame } = reader;
  const tlvs: Tlv[] = [];
  while (reader.at + TLV_HEADER_OCTETS <= frame.length && tlvs.length < TLVS_MAX) {
    const { at } = reader;
    const tag = ((frame[at] as number) << 8) | (frame[at + 1] as number);
    const length = ((frame[at + 2] as number) << 8) | (frame[at + 3] as number);
    const end = at + TLV_HEADER_OCTETS + length;
    if (end > frame.length) break;
    tlvs.push({ tag, value: frame.subarray(at + TLV_HEADER_OCTETS, end) });
    reader.at = end;
  }
  return tlvs;
}

function unreadable(frame: Buffer, reason: string, answerStatus: number): Unreadable {
  const commandId = readU32(frame, 4);
  return {
    command: null,
    commandId,
    name: commandName(commandId),
    isResponse: isResponseId(commandId),
    status: readU32(frame, 8),
    sequence: readU32(frame, 12),
    answerStatus,
    reason,
  };
}
