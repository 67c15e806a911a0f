/**
 * The ids of the other provider's interface are made of ours and can be turned back: two letters, and
 * the 32 hex digits of the UUID. Nothing has to be stored, and a sid means the same for ever.
 */
// biome-ignore format: one prefix per line, read as a table
export const TWILIO_SID_PREFIXES = {
  account: "AC",
  /** Messages, and scheduled ones before and after they are sent. */
  message: "SM",
  number: "PN",
  /** A sender pool. */
  messaging_service: "MG",
  verification: "VE",
  /** The one service that an account has for its codes. */
  verify_service: "VA",
  /** Marks the last item of a page. */
  page: "PA",
} as const;

export type TwilioSidKind = keyof typeof TWILIO_SID_PREFIXES;

export function toTwilioSid(kind: TwilioSidKind, uuid: string): string {
  return TWILIO_SID_PREFIXES[kind] + uuid.replaceAll("-", "");
}

/** The UUID of a sid, or null when it is none of that kind. */
export function fromTwilioSid(kind: TwilioSidKind, sid: string): string | null {
  const prefix = TWILIO_SID_PREFIXES[kind];
  const digits = sid.slice(prefix.length).toLowerCase();
  if (!sid.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(digits)) return null;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
