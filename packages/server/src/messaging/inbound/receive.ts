import { countSegments, normalizePhone } from "@longwave/contract";
import { type AccountRow, readAccount } from "../../account/accounts/index.ts";
import { post, tariffOf } from "../../account/billing/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { storableText } from "../../core/platform/outside-text.ts";
import { append } from "../../events/log/index.ts";
import type { InboundMessage } from "../../network/carriers/carrier.ts";
import { simulatedOutcome } from "../../network/carriers/simulated-network.ts";
import { findLiveSender, findSender, type Sender } from "../../network/numbers/index.ts";
import { handleKeyword } from "../../people/consent/index.ts";
import { addReceived } from "../conversations/index.ts";
import type { MessageRow } from "../messages/index.ts";
import {
  acceptStep,
  NO_SLOTS,
  type OutboundDeps,
  type OutboundRequest,
  prepare,
} from "../outbound/index.ts";
import type { InboundDeps } from "./deps.ts";
import { insertReceived } from "./sql.ts";

/** A short code, or a name where carriers allow one. */
const SENDER_CHARS_MAX = 20;

/** A message that arrived on a number of an account. */
export interface IncomingMessage {
  readonly account: AccountRow;
  readonly number: Sender;
  readonly from: string;
  readonly body: string;
  /** Carrier that brought the message; null in the sandbox. */
  readonly carrier: string | null;
  readonly simulated: boolean;
}

/**
 * Stores, bills and announces a message, handles its keyword and replies, all in the caller's transaction.
 *
 * Lock order: the caller locks message rows first; this function locks the account's counters.
 */
export async function receiveMessage(
  deps: InboundDeps,
  tx: Tx,
  incoming: IncomingMessage,
): Promise<MessageRow> {
  const row = receivedRow(deps, incoming);
  const owner = { shard: row.shard, accountId: row.account_id };
  insert(tx, row);
  if (row.price_micros > 0) {
    await post(deps, tx, owner, {
      kind: "inbound",
      objectId: row.id,
      amountMicros: -row.price_micros,
    });
  }
  const { event, reply } = await handleKeyword(deps, tx, {
    owner,
    number: incoming.number,
    from: row.from_number,
    body: row.body,
    messageId: row.id,
    carrier: incoming.carrier,
  });
  const received = {
    type: "message.received" as const,
    mode: row.mode,
    customerId: row.customer_id,
    data: receivedData(row),
  };
  await append(deps, tx, owner, event ? [received, event] : [received]);
  addReceived(tx, row, event !== null || reply !== null);
  if (reply !== null) await answer(deps, tx, incoming, row.from_number, reply);
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

function receivedRow(deps: OutboundDeps, incoming: IncomingMessage): MessageRow {
  const { account, number } = incoming;
  const now = deps.clock.now();
  const body = storableText(incoming.body);
  const { encoding, segments } = countSegments(body);
  const isLive = number.mode === "live";
  const from =
    normalizePhone(incoming.from) ?? storableText(incoming.from).slice(0, SENDER_CHARS_MAX);
  const units = deps.config.priceUnit === "segment" ? segments : 1;
  const unitMicros = deps.prices.priceOf("inbound", () =>
    tariffOf(deps, from, number.phone_number),
  );
  const priceMicros = isLive ? unitMicros * units : 0;
  return {
    shard: account.shard,
    account_id: account.id,
    id: deps.ids.makeAt(now),
    direction: "inbound",
    status: "received",
    mode: number.mode,
    from_number: from,
    to_number: number.phone_number,
    body,
    encoding,
    segments,
    price_micros: priceMicros,
    billing: priceMicros > 0 ? "settled" : "none",
    simulated: incoming.simulated,
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
    metadata: null,
    attempts: 0,
    awaiting_carrier: false,
    submitted_at: null,
    next_attempt_at: null,
    failure_code: null,
    carrier_code: null,
    carrier: incoming.carrier,
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
 * Stores the automatic reply together with the message it answers.
 *
 * The reply is free, and the only message that may go to a person who has just opted out. In live mode the
 * dispatcher sends it at once.
 */
async function answer(
  deps: OutboundDeps,
  tx: Tx,
  incoming: IncomingMessage,
  to: string,
  body: string,
): Promise<void> {
  const { account, number } = incoming;
  const request: OutboundRequest = {
    account,
    mode: number.mode,
    from: number.phone_number,
    to,
    body,
    customerId: number.customer_id,
    poolId: null,
    autoReply: true,
  };
  const prepared = await prepare(deps, request, NO_SLOTS);
  // No check can refuse the reply, so its verdict is not awaited: the account stays locked until the commit.
  const { statement, values } = acceptStep(deps, account.shard, [prepared]);
  tx.send(statement, values);
}

/** A message from a carrier's inbox row. */
export interface InboxMessage {
  readonly carrier: string;
  readonly payload: InboundMessage;
}

/** Receives a message that a carrier brought. Null when no account has the number: the row stays in the inbox. */
export async function handleInboundMessage(
  deps: InboundDeps,
  tx: Tx,
  { carrier, payload }: InboxMessage,
): Promise<MessageRow | null> {
  const to = normalizePhone(payload.to);
  const number = to === null ? null : await findLiveSender(deps, to);
  const { from, body } = payload;
  if (number === null) {
    if (to !== null) await deps.onServiceMessage(tx, { from, to, body });
    return null;
  }
  const account = expect(await readAccount(tx, number.account_id), "a number has no account");
  return receiveMessage(deps, tx, { account, number, from, body, carrier, simulated: false });
}

/** Receives the reply of a simulated phone to a delivered message; null when the phone does not reply. */
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
  return receiveMessage(deps, tx, {
    account,
    number,
    from: delivered.to_number,
    body: reply === "stop" ? "STOP" : delivered.body,
    carrier: delivered.carrier,
    simulated: delivered.simulated,
  });
}
