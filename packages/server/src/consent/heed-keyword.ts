import { CONSENT_SOURCE_TEXT, type KeywordMatch, matchKeyword } from "@longwave/contract";
import { type AccountRow, readAccount } from "../accounts/index.ts";
import type { Owner } from "../base.ts";
import type { Tx } from "../db/database.ts";
import type { NewEvent } from "../events/index.ts";
import type { Sender } from "../numbers/index.ts";
import { expect } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { type OpenLedger, openLedger, writeChanges } from "./change.ts";
import type { ConsentChange } from "./consent-row.ts";
import type { ConsentDeps } from "./deps.ts";
import { parsePhone } from "./phone-input.ts";
import { defaultReply, type RegisteredReplies } from "./reply-copy.ts";
import { countAutoReply } from "./sql.ts";
import { isOptedOut, judge } from "./states.ts";

const HOUR_MS = 3_600_000;
/** More than any person texts; two machines that answer each other are stopped by it. */
export const AUTO_REPLIES_PER_HOUR_MAX = 100;

/** What answers ask of registrations, handed in where all is assembled. */
export interface ConsentTextDeps extends ConsentDeps {
  /** The answers that a registration files with the carriers; null when there is no such registration. */
  readonly registeredReplies: (
    tx: Tx,
    owner: Owner,
    registrationId: string,
  ) => Promise<RegisteredReplies | null>;
}

/** A text that arrived on a number of ours, as far as keywords look at it. */
export interface TextedUs {
  readonly owner: Owner;
  readonly number: Sender;
  /** The person, in E.164 where the sender has one. */
  readonly from: string;
  readonly body: string;
  readonly messageId: string;
  readonly carrier: string | null;
}

/** What follows from a text: an event when somebody's state changed, and at most one answer. */
export interface Heeded {
  readonly event: NewEvent | null;
  readonly reply: string | null;
}

const NOTHING: Heeded = { event: null, reply: null };

/**
 * Does what a keyword, or a plain request in other words, asks for. Runs in the transaction that
 * stores the text, under the account's lock, so that a send decides either before it or after it.
 */
export async function heedKeyword(deps: ConsentTextDeps, tx: Tx, text: TextedUs): Promise<Heeded> {
  // Most texts ask for nothing and take no lock. Short codes and names cannot be texted back, so
  // there is nothing they could consent to.
  const mayAsk = matchKeyword(text.body, { optedOut: true }) !== null;
  if (!mayAsk || !text.from.startsWith("+")) return NOTHING;
  const [found, ledger] = await Promise.all([
    readAccount(tx, text.owner.accountId),
    openLedger(tx, text.owner, [text.from]),
  ]);
  const account = expect(found, "a number belongs to no account");
  const states = expect(ledger.numbers.get(text.from), "a number was not opened").states;
  const optedOut = isOptedOut(states, text.number.customer_id);
  const match = matchKeyword(text.body, { optedOut });
  if (match === null) return NOTHING;
  if (match.action === "help") {
    return { event: null, reply: await replyTo(deps, tx, text, account, match) };
  }
  return changeBy(deps, tx, text, account, ledger, match);
}

async function changeBy(
  deps: ConsentTextDeps,
  tx: Tx,
  text: TextedUs,
  account: AccountRow,
  ledger: OpenLedger,
  match: KeywordMatch,
): Promise<Heeded> {
  const asked = match.action === "opt_in" ? "opted_in" : "opted_out";
  const isFlagOnly = match.match === "phrase" && account.phrase_opt_out === "flag";
  const change: ConsentChange = {
    phoneNumber: text.from,
    customerId: text.number.customer_id,
    status: isFlagOnly ? "flagged" : asked,
    origin: "text",
    source: CONSENT_SOURCE_TEXT,
    match: match.match,
    keyword: match.keyword,
    messageId: text.messageId,
    textedNumber: text.number.phone_number,
    carrier: text.carrier,
  };
  const { states } = expect(ledger.numbers.get(text.from), "a number was not opened");
  const { changed } = judge(states, change);
  // What is written and what is asked for the answer leave together: the account is locked meanwhile.
  const [, reply] = await Promise.all([
    writeChanges(deps, tx, ledger, [change]),
    changed ? replyTo(deps, tx, text, account, match) : null,
  ]);
  return changed ? { event: eventOf(text, match, asked), reply } : NOTHING;
}

function eventOf(text: TextedUs, match: KeywordMatch, status: "opted_in" | "opted_out"): NewEvent {
  const customerId = text.number.customer_id;
  return {
    type: `message.${status}`,
    customerId,
    data: {
      message_id: toApiId("message", text.messageId),
      from: text.from,
      to: text.number.phone_number,
      keyword: match.keyword,
      ...(customerId === null ? {} : { customer_id: toApiId("customer", customerId) }),
    },
  };
}

/** The words of the answer, or null where none is due: each change one, HELP once an hour. */
async function replyTo(
  deps: ConsentTextDeps,
  tx: Tx,
  text: TextedUs,
  account: AccountRow,
  match: KeywordMatch,
): Promise<string | null> {
  if (account.status === "suspended" || text.number.unpaid) return null;
  if (!parsePhone(deps, text.from).ok) return null;
  const now = deps.clock.now();
  const counted = await tx.query(countAutoReply, [
    text.owner.shard,
    text.owner.accountId,
    text.from,
    text.number.phone_number,
    new Date(now),
    match.action === "help",
    new Date(now - HOUR_MS),
    AUTO_REPLIES_PER_HOUR_MAX,
  ]);
  if (counted.length === 0) return null;
  const registrationId = text.number.registration_id;
  const registered =
    registrationId === null ? null : await deps.registeredReplies(tx, text.owner, registrationId);
  return registered?.[match.action] ?? defaultReply(match.action, account.name);
}
