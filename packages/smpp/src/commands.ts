import { cstring, type FieldSpec, octets, u8, type ValuesOf } from "./fields.ts";

/** Bit of command_id that marks a response. */
export const RESPONSE_BIT = 0x80000000;

// The specification allows 8 characters; carriers issue longer passwords.
const PASSWORD_OCTETS_MAX = 65;

const BIND = [
  cstring("system_id", 16),
  cstring("password", PASSWORD_OCTETS_MAX),
  cstring("system_type", 13),
  u8("interface_version"),
  u8("addr_ton"),
  u8("addr_npi"),
  cstring("address_range", 41),
] as const;
const BIND_RESP = [cstring("system_id", 16)] as const;

const SOURCE = [u8("source_addr_ton"), u8("source_addr_npi"), cstring("source_addr", 21)] as const;
const DESTINATION = [
  u8("dest_addr_ton"),
  u8("dest_addr_npi"),
  cstring("destination_addr", 21),
] as const;

const SHORT_MESSAGE = [
  cstring("service_type", 6),
  ...SOURCE,
  ...DESTINATION,
  u8("esm_class"),
  u8("protocol_id"),
  u8("priority_flag"),
  cstring("schedule_delivery_time", 17),
  cstring("validity_period", 17),
  u8("registered_delivery"),
  u8("replace_if_present_flag"),
  u8("data_coding"),
  u8("sm_default_msg_id"),
  octets("short_message", 254),
] as const;
const MESSAGE_ID = [cstring("message_id", 65)] as const;

const DATA = [
  cstring("service_type", 6),
  u8("source_addr_ton"),
  u8("source_addr_npi"),
  cstring("source_addr", 65),
  u8("dest_addr_ton"),
  u8("dest_addr_npi"),
  cstring("destination_addr", 65),
  u8("esm_class"),
  u8("registered_delivery"),
  u8("data_coding"),
] as const;

const QUERY_RESP = [
  ...MESSAGE_ID,
  cstring("final_date", 17),
  u8("message_state"),
  u8("error_code"),
] as const;

const REPLACE = [
  ...MESSAGE_ID,
  ...SOURCE,
  cstring("schedule_delivery_time", 17),
  cstring("validity_period", 17),
  u8("registered_delivery"),
  u8("sm_default_msg_id"),
  octets("short_message", 254),
] as const;

const ALERT = [
  u8("source_addr_ton"),
  u8("source_addr_npi"),
  cstring("source_addr", 65),
  u8("esme_addr_ton"),
  u8("esme_addr_npi"),
  cstring("esme_addr", 65),
] as const;

const NONE = [] as const;

/**
 * Every PDU of this package: id, body fields in order, whether TLVs may follow, and whether a
 * refusing response has a body. submit_multi is missing, so peers that send it get ESME_RINVCMDID.
 */
// biome-ignore format: one PDU per line, read as a table
export const COMMANDS = {
  generic_nack:          { id: 0x80000000, fields: NONE,          tlvs: false, bodyOnError: false },
  bind_receiver:         { id: 0x00000001, fields: BIND,          tlvs: false },
  bind_receiver_resp:    { id: 0x80000001, fields: BIND_RESP,     tlvs: true,  bodyOnError: false },
  bind_transmitter:      { id: 0x00000002, fields: BIND,          tlvs: false },
  bind_transmitter_resp: { id: 0x80000002, fields: BIND_RESP,     tlvs: true,  bodyOnError: false },
  query_sm:              { id: 0x00000003, fields: [...MESSAGE_ID, ...SOURCE], tlvs: false },
  query_sm_resp:         { id: 0x80000003, fields: QUERY_RESP,    tlvs: false, bodyOnError: true },
  submit_sm:             { id: 0x00000004, fields: SHORT_MESSAGE, tlvs: true },
  submit_sm_resp:        { id: 0x80000004, fields: MESSAGE_ID,    tlvs: true,  bodyOnError: false },
  deliver_sm:            { id: 0x00000005, fields: SHORT_MESSAGE, tlvs: true },
  deliver_sm_resp:       { id: 0x80000005, fields: MESSAGE_ID,    tlvs: true,  bodyOnError: true },
  unbind:                { id: 0x00000006, fields: NONE,          tlvs: false },
  unbind_resp:           { id: 0x80000006, fields: NONE,          tlvs: false, bodyOnError: false },
  replace_sm:            { id: 0x00000007, fields: REPLACE,       tlvs: false },
  replace_sm_resp:       { id: 0x80000007, fields: NONE,          tlvs: false, bodyOnError: false },
  cancel_sm:             { id: 0x00000008, fields: [cstring("service_type", 6), ...MESSAGE_ID, ...SOURCE, ...DESTINATION], tlvs: false },
  cancel_sm_resp:        { id: 0x80000008, fields: NONE,          tlvs: false, bodyOnError: false },
  bind_transceiver:      { id: 0x00000009, fields: BIND,          tlvs: false },
  bind_transceiver_resp: { id: 0x80000009, fields: BIND_RESP,     tlvs: true,  bodyOnError: false },
  outbind:               { id: 0x0000000b, fields: [cstring("system_id", 16), cstring("password", PASSWORD_OCTETS_MAX)], tlvs: false },
  enquire_link:          { id: 0x00000015, fields: NONE,          tlvs: false },
  enquire_link_resp:     { id: 0x80000015, fields: NONE,          tlvs: false, bodyOnError: false },
  alert_notification:    { id: 0x00000102, fields: ALERT,         tlvs: true },
  data_sm:               { id: 0x00000103, fields: DATA,          tlvs: true },
  data_sm_resp:          { id: 0x80000103, fields: MESSAGE_ID,    tlvs: true,  bodyOnError: false },
} as const satisfies Record<string, CommandSpec>;

export interface CommandSpec {
  readonly id: number;
  readonly fields: readonly FieldSpec[];
  readonly tlvs: boolean;
  readonly bodyOnError?: boolean;
}

export type CommandName = keyof typeof COMMANDS;
export type FieldsOf<Name extends CommandName> = ValuesOf<(typeof COMMANDS)[Name]["fields"]>;

/** A command that has a response. */
export type RequestName = {
  [Name in CommandName]: `${Name}_resp` extends CommandName ? Name : never;
}[CommandName];

const nameById = new Map<number, CommandName>(
  (Object.keys(COMMANDS) as CommandName[]).map((name) => [COMMANDS[name].id, name]),
);

export function commandName(id: number): CommandName | null {
  return nameById.get(id) ?? null;
}

export function isResponseId(id: number): boolean {
  return id >= RESPONSE_BIT;
}

/** Response to a request; null where the specification has none (outbind, alerts). */
export function responseTo(name: CommandName): CommandName | null {
  const response = `${name}_resp`;
  return response in COMMANDS ? (response as CommandName) : null;
}
