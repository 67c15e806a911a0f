import { CONSENT_SOURCE_TEXT, type KeywordMatch, matchKeyword } from "@longwave/contract";
import { type AccountRow, readAccount } from "../../account/accounts/index.ts";
import type { Owner } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { NewEvent } from "../../events/log/index.ts";
import { parsePhone } from "../../http/api/phone-input.ts";
import type { Sender } from "../../network/numbers/index.ts";
import { type OpenLedger, openLedger, writeChanges } from "./change.ts";
import type { ConsentChange } from "./consent-row.ts";
import type { ConsentDeps } from "./deps.ts";
import { defaultReply, type RegisteredReplies } from "./reply-copy.ts";
import { countAutoReply } from "./sql.ts";
import { decideConsent, isOptedOut } from "./states.ts";

const HOUR_MS = 3_600_000;
/** More than any person sends. Stops two machines that reply to each other. */
export const AUTO_REPLIES_PER_HOUR_MAX = 100;

/** Replies to HELP between two numbers. */
const HELP_REPLIES_PER_HOUR_MAX = 5;

/** Dependencies of keyword replies. */
export interface KeywordDeps extends ConsentDeps {
  /** Replies that a registration files with the carriers; null: no such registration. Injected from a higher layer. */
  readonly registeredReplies: (
    tx: Tx,
    owner: Owner,
    registrationId: string,
  ) => Promise<RegisteredReplies | null>;
}

/** Fields of an inbound message that keyword handling reads. */
export interface KeywordMessage {
  readonly owner: Owner;
  readonly number: Sender;
  /** Sender, in E.164 if it is a phone number. */
  readonly from: string;
  readonly body: string;
  readonly messageId: string;
  readonly carrier: string | null;
}

/** Result of an inbound message: an event if consent changed, and at most one reply. */
export interface KeywordOutcome {
  readonly event: NewEvent | null;
  readonly reply: string | null;
}

const NOTHING: KeywordOutcome = { event: null, reply: null };

/**
 * Applies the keyword, or the recognised phrase, of an inbound message. Runs in the transaction that
 * stores the message, under the account's lock, so that every send sees consent before or after it.
 */
export async function handleKeyword(
  deps: KeywordDeps,
  tx: Tx,
  message: KeywordMessage,
): Promise<KeywordOutcome> {
  // Most messages contain no keyword and take no lock. Short codes and alphanumeric senders cannot
  // receive messages, so they have no consent.
  const mayAsk = matchKeyword(message.body, { optedOut: true }) !== null;
  if (!mayAsk || !message.from.startsWith("+")) return NOTHING;
  const [found, ledger] = await Promise.all([
    readAccount(tx, message.owner.accountId),
    openLedger(tx, { ...message.owner, mode: message.number.mode }, [message.from]),
  ]);
  const account = expect(found, "a number belongs to no account");
  const states = expect(ledger.numbers.get(message.from), "a number was not opened").states;
  const optedOut = isOptedOut(states, message.number.customer_id);
  const match = matchKeyword(message.body, { optedOut });
  if (match === null) return NOTHING;
  if (match.action === "help") {
    return { event: null, reply: await replyTo(deps, tx, message, account, match, optedOut) };
  }
  return applyKeyword(deps, tx, message, account, ledger, match);
}

async function applyKeyword(
  deps: KeywordDeps,
  tx: Tx,
  message: KeywordMessage,
  account: AccountRow,
  ledger: OpenLedger,
  match: KeywordMatch,
): Promise<KeywordOutcome> {
  const requested = match.action === "opt_in" ? "opted_in" : "opted_out";
  const isFlagOnly = match.match === "phrase" && account.phrase_opt_out === "flag";
  const change: ConsentChange = {
    phoneNumber: message.from,
    customerId: message.number.customer_id,
    status: isFlagOnly ? "flagged" : requested,
    origin: "text",
    source: CONSENT_SOURCE_TEXT,
    match: match.match,
    keyword: match.keyword,
    messageId: message.messageId,
    textedNumber: message.number.phone_number,
    carrier: message.carrier,
  };
  const { states } = expect(ledger.numbers.get(message.from), "a number was not opened");
  const { changed } = decideConsent(states, change);
  // Pipelined, because the account is locked meanwhile.
  const [, reply] = await Promise.all([
    writeChanges(deps, tx, ledger, [change]),
    changed ? replyTo(deps, tx, message, account, match) : null,
  ]);
  return changed ? { event: eventOf(message, match, requested), reply } : NOTHING;
}

function eventOf(
  message: KeywordMessage,
  match: KeywordMatch,
  status: "opted_in" | "opted_out",
): NewEvent {
  const customerId = message.number.customer_id;
  return {
    type: `message.${status}`,
    mode: message.number.mode,
    customerId,
    data: {
      message_id: toApiId("message", message.messageId),
      from: message.from,
      to: message.number.phone_number,
      keyword: match.keyword,
      ...(customerId === null ? {} : { customer_id: toApiId("customer", customerId) }),
    },
  };
}

/**
 * Reply, or null: one per change and per HELP, within the hourly maximums; one HELP an hour for somebody who has opted
 * out.
 */
async function replyTo(
  deps: KeywordDeps,
  tx: Tx,
  message: KeywordMessage,
  account: AccountRow,
  match: KeywordMatch,
  isOptedOutHelp = false,
): Promise<string | null> {
  if (account.status === "suspended" || message.number.unpaid) return null;
  if (!parsePhone(deps, message.from).ok) return null;
  const now = deps.clock.now();
  const counted = await tx.query(countAutoReply, [
    message.owner.shard,
    message.owner.accountId,
    message.from,
    message.number.phone_number,
    new Date(now),
    match.action === "help",
    new Date(now - HOUR_MS),
    AUTO_REPLIES_PER_HOUR_MAX,
    HELP_REPLIES_PER_HOUR_MAX,
    isOptedOutHelp,
  ]);
  if (counted.length === 0) return null;
  const registrationId = message.number.registration_id;
  const registered =
    registrationId === null
      ? null
      : await deps.registeredReplies(tx, message.owner, registrationId);
  const { action, language } = match;
  if (registered === null) return defaultReply(action, account.name, language);
  // A registration files English replies alone.
  if (language === "en") return registered[action];
  return defaultReply(action, registered.business, language);
}
