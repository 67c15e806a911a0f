/**
 * Twilio sids derived from our ids and reversible: two letters, and the 32 hex digits of the UUID.
 * Nothing is stored, and a sid stays valid forever.
 */
// biome-ignore format: one prefix per line, read as a table
export const TWILIO_SID_PREFIXES = {
  account: "AC",
  /** Messages and scheduled messages. */
  message: "SM",
  number: "PN",
  /** Sender pool. */
  messaging_service: "MG",
  verification: "VE",
  /** The account's only Verify service. */
  verify_service: "VA",
  /** Last item of a page. */
  page: "PA",
} as const;

export type TwilioSidKind = keyof typeof TWILIO_SID_PREFIXES;

export function toTwilioSid(kind: TwilioSidKind, uuid: string): string {
  return TWILIO_SID_PREFIXES[kind] + uuid.replaceAll("-", "");
}

/** UUID of a sid; null when it is of another kind. */
export function fromTwilioSid(kind: TwilioSidKind, sid: string): string | null {
  const prefix = TWILIO_SID_PREFIXES[kind];
  const digits = sid.slice(prefix.length).toLowerCase();
  if (!sid.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(digits)) return null;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
