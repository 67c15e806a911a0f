import type { KeywordAction } from "@longwave/contract";

/**
 * What a number without a registration of its own answers. None of these texts may itself read as
 * a request to stop: another machine that sends them back must meet silence.
 */
// biome-ignore format: one text per line
const COPY: Readonly<Record<KeywordAction, (business: string) => string>> = {
  opt_out: (business) => `${business}: You are unsubscribed and will get no more messages. Reply START to resubscribe.`,
  opt_in: (business) => `${business}: You are subscribed. Msg frequency varies. Msg & data rates may apply. Reply HELP for help, STOP to cancel.`,
  help: (business) => `${business}: For help, contact us directly. Msg frequency varies. Msg & data rates may apply. Reply STOP to cancel.`,
};

/** The answers of a number that follows a registration: the carriers know them by its campaign. */
export type RegisteredReplies = Readonly<Record<KeywordAction, string>>;

export function defaultReply(action: KeywordAction, business: string): string {
  return COPY[action](business);
}
