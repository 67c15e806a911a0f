/**
 * Meaning of a command_status for the sender:
 * - `accepted`: done.
 * - `slow_down`: retry later, and send everything else more slowly.
 * - `temporary`: retry later.
 * - `permanent`: the peer will never accept this message.
 * - `connection`: the bind is at fault, not the message; bind again.
 */
export type StatusKind = "accepted" | "slow_down" | "temporary" | "permanent" | "connection";

interface StatusSpec {
  readonly code: number;
  readonly kind: StatusKind;
  readonly meaning: string;
}

/** SMPP 3.4, section 5.1.3, and the codes of 5.0 that 3.4 peers send. */
// biome-ignore format: one status per line, read as a table
export const STATUSES = {
  ESME_ROK:              { code: 0x00, kind: "accepted",   meaning: "no error" },
  ESME_RINVMSGLEN:       { code: 0x01, kind: "permanent",  meaning: "the message length is invalid" },
  ESME_RINVCMDLEN:       { code: 0x02, kind: "connection", meaning: "the command length is invalid" },
  ESME_RINVCMDID:        { code: 0x03, kind: "connection", meaning: "the command is unknown" },
  ESME_RINVBNDSTS:       { code: 0x04, kind: "connection", meaning: "the bind does not allow this command" },
  ESME_RALYBND:          { code: 0x05, kind: "connection", meaning: "already bound" },
  ESME_RINVPRTFLG:       { code: 0x06, kind: "permanent",  meaning: "the priority flag is invalid" },
  ESME_RINVREGDLVFLG:    { code: 0x07, kind: "permanent",  meaning: "the registered delivery flag is invalid" },
  ESME_RSYSERR:          { code: 0x08, kind: "temporary",  meaning: "system error" },
  ESME_RINVSRCADR:       { code: 0x0a, kind: "permanent",  meaning: "the source address is invalid" },
  ESME_RINVDSTADR:       { code: 0x0b, kind: "permanent",  meaning: "the destination address is invalid" },
  ESME_RINVMSGID:        { code: 0x0c, kind: "permanent",  meaning: "the message id is invalid" },
  ESME_RBINDFAIL:        { code: 0x0d, kind: "connection", meaning: "the bind failed" },
  ESME_RINVPASWD:        { code: 0x0e, kind: "connection", meaning: "the password is wrong" },
  ESME_RINVSYSID:        { code: 0x0f, kind: "connection", meaning: "the system id is unknown" },
  ESME_RCANCELFAIL:      { code: 0x11, kind: "permanent",  meaning: "the message cannot be canceled" },
  ESME_RREPLACEFAIL:     { code: 0x13, kind: "permanent",  meaning: "the message cannot be replaced" },
  ESME_RMSGQFUL:         { code: 0x14, kind: "slow_down",  meaning: "the message queue is full" },
  ESME_RINVSERTYP:       { code: 0x15, kind: "permanent",  meaning: "the service type is invalid" },
  ESME_RINVNUMDESTS:     { code: 0x33, kind: "permanent",  meaning: "the number of destinations is invalid" },
  ESME_RINVDLNAME:       { code: 0x34, kind: "permanent",  meaning: "the distribution list is unknown" },
  ESME_RINVDESTFLAG:     { code: 0x40, kind: "permanent",  meaning: "the destination flag is invalid" },
  ESME_RINVSUBREP:       { code: 0x42, kind: "permanent",  meaning: "replacing on submit is not supported" },
  ESME_RINVESMCLASS:     { code: 0x43, kind: "permanent",  meaning: "the esm_class is invalid" },
  ESME_RCNTSUBDL:        { code: 0x44, kind: "permanent",  meaning: "cannot submit to the distribution list" },
  ESME_RSUBMITFAIL:      { code: 0x45, kind: "temporary",  meaning: "submitting failed" },
  ESME_RINVSRCTON:       { code: 0x48, kind: "permanent",  meaning: "the source TON is invalid" },
  ESME_RINVSRCNPI:       { code: 0x49, kind: "permanent",  meaning: "the source NPI is invalid" },
  ESME_RINVDSTTON:       { code: 0x50, kind: "permanent",  meaning: "the destination TON is invalid" },
  ESME_RINVDSTNPI:       { code: 0x51, kind: "permanent",  meaning: "the destination NPI is invalid" },
  ESME_RINVSYSTYP:       { code: 0x53, kind: "connection", meaning: "the system type is invalid" },
  ESME_RINVREPFLAG:      { code: 0x54, kind: "permanent",  meaning: "the replace_if_present flag is invalid" },
  ESME_RINVNUMMSGS:      { code: 0x55, kind: "permanent",  meaning: "the number of messages is invalid" },
  ESME_RTHROTTLED:       { code: 0x58, kind: "slow_down",  meaning: "more messages than allowed" },
  ESME_RINVSCHED:        { code: 0x61, kind: "permanent",  meaning: "the scheduled time is invalid" },
  ESME_RINVEXPIRY:       { code: 0x62, kind: "permanent",  meaning: "the validity period is invalid" },
  ESME_RINVDFTMSGID:     { code: 0x63, kind: "permanent",  meaning: "the predefined message is unknown" },
  ESME_RX_T_APPN:        { code: 0x64, kind: "temporary",  meaning: "the receiver has a temporary error" },
  ESME_RX_P_APPN:        { code: 0x65, kind: "permanent",  meaning: "the receiver has a permanent error" },
  ESME_RX_R_APPN:        { code: 0x66, kind: "permanent",  meaning: "the receiver rejects the message" },
  ESME_RQUERYFAIL:       { code: 0x67, kind: "temporary",  meaning: "the query failed" },
  ESME_RINVOPTPARSTREAM: { code: 0xc0, kind: "permanent",  meaning: "the optional parameters are malformed" },
  ESME_ROPTPARNOTALLWD:  { code: 0xc1, kind: "permanent",  meaning: "an optional parameter is not allowed" },
  ESME_RINVPARLEN:       { code: 0xc2, kind: "permanent",  meaning: "a parameter has an invalid length" },
  ESME_RMISSINGOPTPARAM: { code: 0xc3, kind: "permanent",  meaning: "an optional parameter is missing" },
  ESME_RINVOPTPARAMVAL:  { code: 0xc4, kind: "permanent",  meaning: "an optional parameter has an invalid value" },
  ESME_RDELIVERYFAILURE: { code: 0xfe, kind: "temporary",  meaning: "delivery failed" },
  ESME_RUNKNOWNERR:      { code: 0xff, kind: "temporary",  meaning: "unknown error" },
  ESME_RSERTYPUNAUTH:    { code: 0x100, kind: "permanent", meaning: "not authorised for the service type" },
  ESME_RPROHIBITED:      { code: 0x101, kind: "permanent", meaning: "prohibited" },
  ESME_RSERTYPUNAVAIL:   { code: 0x102, kind: "permanent", meaning: "the service type is unavailable" },
  ESME_RSERTYPDENIED:    { code: 0x103, kind: "permanent", meaning: "the service type is denied" },
  ESME_RINVDCS:          { code: 0x104, kind: "permanent", meaning: "the data coding is invalid" },
  ESME_RINVSRCADDRSUBUNIT: { code: 0x105, kind: "permanent", meaning: "the source subunit is invalid" },
  ESME_RINVDSTADDRSUBUNIT: { code: 0x106, kind: "permanent", meaning: "the destination subunit is invalid" },
} as const satisfies Record<string, StatusSpec>;

export type StatusName = keyof typeof STATUSES;

const byCode = new Map<number, StatusSpec & { readonly name: string }>(
  Object.entries(STATUSES).map(([name, spec]) => [spec.code, { name, ...spec }]),
);

/** Classifies a status. A vendor's own code is permanent unless `overrides` contains it. */
export function statusKind(code: number, overrides?: ReadonlyMap<number, StatusKind>): StatusKind {
  return overrides?.get(code) ?? byCode.get(code)?.kind ?? "permanent";
}

/** Meaning of a status in the standard; null for a vendor's own code. */
export function statusMeaning(code: number): string | null {
  return byCode.get(code)?.meaning ?? null;
}

/** Readable status: `0x00000058 ESME_RTHROTTLED (more messages than allowed)`. */
export function describeStatus(code: number): string {
  const hex = `0x${code.toString(16).padStart(8, "0")}`;
  const known = byCode.get(code);
  return known ? `${hex} ${known.name} (${known.meaning})` : `${hex} (a code of the peer's own)`;
}
