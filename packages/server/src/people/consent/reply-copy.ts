import type { KeywordAction } from "@longwave/contract";

/**
 * Default replies of numbers without a registration. No reply may itself match an opt-out keyword or
 * phrase: a machine that echoes it must get no further reply.
 */
// biome-ignore format: one reply per line
const COPY: Readonly<Record<KeywordAction, (business: string) => string>> = {
  opt_out: (business) => `${business}: You are unsubscribed and will get no more messages. Reply START to resubscribe.`,
  opt_in: (business) => `${business}: You are subscribed. Msg frequency varies. Msg & data rates may apply. Reply HELP for help, STOP to cancel.`,
  help: (business) => `${business}: For help, contact us directly. Msg frequency varies. Msg & data rates may apply. Reply STOP to cancel.`,
};

/** Replies that a registration files with the carriers as part of its campaign. */
export type RegisteredReplies = Readonly<Record<KeywordAction, string>>;

export function defaultReply(action: KeywordAction, business: string): string {
  return COPY[action](business);
}
