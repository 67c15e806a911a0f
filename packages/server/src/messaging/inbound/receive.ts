import { countSegments, normalizePhone, PRICE_INBOUND_MICROS } from "@longwave/contract";
import { type AccountRow, readAccount } from "../accounts/index.ts";
import { post } from "../billing/index.ts";
import type { InboundText } from "../carriers/carrier.ts";
import { simulatedOutcome } from "../carriers/simulated-network.ts";
import { heedKeyword } from "../consent/index.ts";
import type { Tx } from "../db/database.ts";
import { append } from "../events/index.ts";
import {
  acceptStep,
  compose,
  type HandoverDeps,
  type MessageRow,
  NO_PLACES,
  type Wanted,
} from "../handover/index.ts";
import { findLiveSender, findSender, type Sender } from "../numbers/index.ts";
import { expect } from "../platform/assert.ts";
import { toApiId } from "../platform/ids.ts";
import { storableText } from "../platform/outside-text.ts";
import type { InboundDeps } from "./deps.ts";
import { insertReceived } from "./sql.ts";

/** A short code, or a name where carriers allow one. */
const SENDER_CHARS_MAX = 20;

/** A text that arrived on a number of an account. */
export interface IncomingText {
  readonly account: AccountRow;
  readonly number: Sender;
  readonly from: string;
  readonly body: string;
  /** Name of the link that brought it; null in sandbox. */
  readonly carrier: string | null;
  readonly simulated: boolean;
}

/**
 * Takes in a text: stores it, bills it, tells of it, heeds its keyword and answers, all or nothing
 * in the caller's transaction. Rows of messages that the caller locks are locked before; this
 * locks the account's counters.
 */
export async function receiveText(
  deps: InboundDeps,
  tx: Tx,
  text: IncomingText,
): Promise<MessageRow> {
  const row = receivedRow(deps, text);
  const owner = { shard: row.shard, accountId: row.account_id };
  insert(tx, row);
  if (row.price_micros > 0) {
    await post(deps, tx, owner, {
      kind: "inbound",
      objectId: row.id,
      amountMicros: -row.price_micros,
    });
  }
  const { event, reply } = await heedKeyword(deps, tx, {
    owner,
    number: text.number,
    from: row.from_number,
    body: row.body,
    messageId: row.id,
    carrier: text.carrier,
  });
  const received = {
    type: "message.received" as const,
    customerId: row.customer_id,
    data: receivedData(row),
  };
  await append(deps, tx, owner, event ? [received, event] : [received]);
  if (reply !== null) await answer(deps, tx, text, row.from_number, reply);
  return row;
}

function receivedData(row: MessageRow): Record<string, unknown> {
  return {
    message_id: toApiId("message", row.id),
    from: row.from_number,
    to: row.to_number,
    body: row.body,
    ...(row.customer_id === null ? {} : { customer_id: toApiId("customer", row.customer_id) }),
  };
}

function receivedRow(deps: HandoverDeps, text: IncomingText): MessageRow {
  const { account, number } = text;
  const now = deps.clock.now();
  const body = storableText(text.body);
  const { encoding, segments } = countSegments(body);
  const isLive = number.mode === "live";
  const units = deps.config.priceUnit === "segment" ? segments : 1;
  return {
    shard: account.shard,
    account_id: account.id,
    id: deps.ids.makeAt(now),
    direction: "inbound",
    status: "received",
    mode: number.mode,
    from_number: normalizePhone(text.from) ?? storableText(text.from).slice(0, SENDER_CHARS_MAX),
    to_number: number.phone_number,
    body,
    encoding,
    segments,
    price_micros: isLive ? PRICE_INBOUND_MICROS * units : 0,
    billing: isLive ? "settled" : "none",
    simulated: text.simulated,
    auto_reply: false,
    customer_id: number.customer_id,
    pool_id: null,
    batch_id: null,
    batch_index: null,
    scheduled_message_id: null,
    schedule_id: null,
    run_id: null,
    verification_id: null,
    from_service: false,
    expires_at: null,
    quiet_hours: null,
    attempts: 0,
    is_out: false,
    handed_at: null,
    next_attempt_at: null,
    failure_code: null,
    carrier_code: null,
    carrier: text.carrier,
    created_at: now,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
  };
}

function insert(tx: Tx, row: MessageRow): void {
  tx.send(insertReceived, [
    row.shard,
    row.account_id,
    row.id,
    row.mode,
    row.from_number,
    row.to_number,
    row.body,
    row.encoding,
    row.segments,
    row.price_micros,
    row.billing,
    row.simulated,
    row.customer_id,
    row.carrier,
    new Date(row.created_at),
  ]);
}

/**
 * Writes the automatic answer beside what it answers. It is free, and it is the one text that may
 * go to somebody who has just opted out. In live mode it is due for the dispatcher at once.
 */
async function answer(
  deps: HandoverDeps,
  tx: Tx,
  text: IncomingText,
  to: string,
  body: string,
): Promise<void> {
  const { account, number } = text;
  const wanted: Wanted = {
    account,
    mode: number.mode,
    from: number.phone_number,
    to,
    body,
    customerId: number.customer_id,
    poolId: null,
    autoReply: true,
  };
  const composed = await compose(deps, wanted, NO_PLACES);
  // Nothing can refuse it, so nobody waits for its answer: the account is locked until the commit.
  const { statement, values } = acceptStep(deps, account.shard, [composed]);
  tx.send(statement, values);
}

/** A text as a carrier brought it, out of its inbox. */
export interface InboxText {
  readonly carrier: string;
  readonly payload: InboundText;
}

/**
 * Takes in a text that a carrier brought. Null when no account has the number: the text stays in
 * the inbox, and there is nobody to tell.
 */
export async function handleInboundText(
  deps: InboundDeps,
  tx: Tx,
  { carrier, payload }: InboxText,
): Promise<MessageRow | null> {
  const to = normalizePhone(payload.to);
  const number = to === null ? null : await findLiveSender(deps, to);
  const { from, body } = payload;
  if (number === null) {
    if (to !== null) await deps.heedServiceText(tx, { from, to, body });
    return null;
  }
  const account = expect(await readAccount(tx, number.account_id), "a number has no account");
  return receiveText(deps, tx, { account, number, from, body, carrier, simulated: false });
}

/** What a simulated phone texts back once a text was delivered to it. Null: nothing. */
export async function simulateReply(
  deps: InboundDeps,
  tx: Tx,
  delivered: MessageRow,
): Promise<MessageRow | null> {
  const { reply } = simulatedOutcome(delivered.to_number);
  if (reply === null) return null;
  const owner = { id: delivered.account_id, shard: delivered.shard };
  const number = await findSender(deps, owner, delivered.from_number);
  if (number === null) return null;
  const account = expect(await readAccount(tx, delivered.account_id), "a message has no account");
  return receiveText(deps, tx, {
    account,
    number,
    from: delivered.to_number,
    body: reply === "stop" ? "STOP" : delivered.body,
    carrier: delivered.carrier,
    simulated: delivered.simulated,
  });
}
