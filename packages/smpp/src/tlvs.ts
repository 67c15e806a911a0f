import { FieldError } from "./fields.ts";

/** Optional parameter of a PDU; unknown and malformed ones are kept as received. */
export interface Tlv {
  readonly tag: number;
  readonly value: Buffer;
}

interface TlvSpec {
  readonly tag: number;
  readonly kind: "u8" | "u16" | "u32" | "cstring" | "octets" | "flag";
}

/** Optional parameters of SMPP 3.4, section 5.3. Address any other by its tag. */
// biome-ignore format: one parameter per line, read as a table
export const TLVS = {
  dest_addr_subunit:           { tag: 0x0005, kind: "u8" },
  dest_network_type:           { tag: 0x0006, kind: "u8" },
  dest_bearer_type:            { tag: 0x0007, kind: "u8" },
  dest_telematics_id:          { tag: 0x0008, kind: "u16" },
  source_addr_subunit:         { tag: 0x000d, kind: "u8" },
  source_network_type:         { tag: 0x000e, kind: "u8" },
  source_bearer_type:          { tag: 0x000f, kind: "u8" },
  source_telematics_id:        { tag: 0x0010, kind: "u8" },
  qos_time_to_live:            { tag: 0x0017, kind: "u32" },
  payload_type:                { tag: 0x0019, kind: "u8" },
  additional_status_info_text: { tag: 0x001d, kind: "cstring" },
  receipted_message_id:        { tag: 0x001e, kind: "cstring" },
  ms_msg_wait_facilities:      { tag: 0x0030, kind: "u8" },
  privacy_indicator:           { tag: 0x0201, kind: "u8" },
  source_subaddress:           { tag: 0x0202, kind: "octets" },
  dest_subaddress:             { tag: 0x0203, kind: "octets" },
  user_message_reference:      { tag: 0x0204, kind: "u16" },
  user_response_code:          { tag: 0x0205, kind: "u8" },
  source_port:                 { tag: 0x020a, kind: "u16" },
  destination_port:            { tag: 0x020b, kind: "u16" },
  sar_msg_ref_num:             { tag: 0x020c, kind: "u16" },
  language_indicator:          { tag: 0x020d, kind: "u8" },
  sar_total_segments:          { tag: 0x020e, kind: "u8" },
  sar_segment_seqnum:          { tag: 0x020f, kind: "u8" },
  sc_interface_version:        { tag: 0x0210, kind: "u8" },
  callback_num_pres_ind:       { tag: 0x0302, kind: "u8" },
  callback_num_atag:           { tag: 0x0303, kind: "octets" },
  number_of_messages:          { tag: 0x0304, kind: "u8" },
  callback_num:                { tag: 0x0381, kind: "octets" },
  dpf_result:                  { tag: 0x0420, kind: "u8" },
  set_dpf:                     { tag: 0x0421, kind: "u8" },
  ms_availability_status:      { tag: 0x0422, kind: "u8" },
  network_error_code:          { tag: 0x0423, kind: "octets" },
  message_payload:             { tag: 0x0424, kind: "octets" },
  delivery_failure_reason:     { tag: 0x0425, kind: "u8" },
  more_messages_to_send:       { tag: 0x0426, kind: "u8" },
  message_state:               { tag: 0x0427, kind: "u8" },
  ussd_service_op:             { tag: 0x0501, kind: "octets" },
  display_time:                { tag: 0x1201, kind: "u8" },
  sms_signal:                  { tag: 0x1203, kind: "u16" },
  ms_validity:                 { tag: 0x1204, kind: "u8" },
  alert_on_message_delivery:   { tag: 0x130c, kind: "flag" },
  its_reply_type:              { tag: 0x1380, kind: "u8" },
  its_session_info:            { tag: 0x1383, kind: "octets" },
} as const satisfies Record<string, TlvSpec>;

export type TlvName = keyof typeof TLVS;

type KindOf<Name extends TlvName> = (typeof TLVS)[Name]["kind"];
export type TlvValue<Name extends TlvName> =
  KindOf<Name> extends "u8" | "u16" | "u32"
    ? number
    : KindOf<Name> extends "cstring"
      ? string
      : KindOf<Name> extends "flag"
        ? true
        : Buffer;

const INT_OCTETS = { u8: 1, u16: 2, u32: 4 } as const;
const VALUE_OCTETS_MAX = 0xffff;

/** Makes an optional parameter. Throws a FieldError when the value does not fit. */
export function tlv<Name extends TlvName>(name: Name, value: TlvValue<Name>): Tlv {
  const { tag, kind } = TLVS[name];
  return { tag, value: valueOctets(name, kind, value) };
}

function valueOctets(name: string, kind: TlvSpec["kind"], value: unknown): Buffer {
  if (kind === "flag") return Buffer.alloc(0);
  if (kind === "cstring") {
    const text = value as string;
    if (text.length >= VALUE_OCTETS_MAX) throw new FieldError(name, "at most 65534 characters");
    return Buffer.from(`${text}\0`, "latin1");
  }
  if (kind === "octets") {
    const octets = value as Buffer;
    if (octets.length > VALUE_OCTETS_MAX) throw new FieldError(name, "at most 65535 octets");
    return octets;
  }
  const size = INT_OCTETS[kind];
  const max = 2 ** (8 * size) - 1;
  const number = value as number;
  if (!Number.isInteger(number) || number < 0 || number > max) {
    throw new FieldError(name, `a whole number from 0 to ${max}`);
  }
  const octets = Buffer.alloc(size);
  octets.writeUIntBE(number, 0, size);
  return octets;
}

/**
 * Value of an optional parameter; undefined when missing or malformed (its octets stay in the
 * list).
 */
export function tlvValue<Name extends TlvName>(
  tlvs: readonly Tlv[],
  name: Name,
): TlvValue<Name> | undefined {
  const { tag, kind } = TLVS[name];
  for (const one of tlvs) {
    if (one.tag === tag) return readValue(kind, one.value) as TlvValue<Name> | undefined;
  }
  return undefined;
}

function readValue(kind: TlvSpec["kind"], value: Buffer): unknown {
  if (kind === "octets") return value;
  if (kind === "flag") return true;
  if (kind === "cstring") {
    const end = value.indexOf(0);
    return value.toString("latin1", 0, end === -1 ? value.length : end);
  }
  const size = INT_OCTETS[kind];
  return value.length === size ? value.readUIntBE(0, size) : undefined;
}
