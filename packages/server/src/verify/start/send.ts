import type { Carrier } from "../../carriers/index.ts";
import { simulatedHandOver } from "../../carriers/index.ts";
import type { Tx } from "../../db/database.ts";
import {
  acceptedRow,
  acceptIn,
  draftLive,
  draftSimulated,
  type Wanted,
} from "../../handover/index.ts";
import type { VerifyDeps as Deps } from "../deps.ts";
import type { SendRow, VerificationRow } from "../verification-row.ts";
import type { HandOver, StartItem, StartRefusal } from "./item.ts";
import { FIRST_RETRY_MS, UNKNOWN_AFTER_MS } from "./sends.ts";
import { maskedText } from "./text.ts";

/** What a group gives to the sending of one of its items. */
export interface SendContext {
  readonly deps: Deps;
  readonly tx: Tx;
  readonly shard: number;
  readonly nowMs: number;
  /** Places taken on links: given back if the group is not written. */
  readonly reserved: Carrier[];
}

/** How a text stands when the start is committed. */
export interface Sending {
  /** Whether it counts as sent already; otherwise a carrier has to take it first. */
  readonly isSent: boolean;
  readonly handOver: HandOver | null;
  readonly send: object | null;
  readonly waits: boolean;
}

const SENT: Sending = { isSent: true, handOver: null, send: null, waits: false };

/** Puts a text on its way; a refusal at once is the result of the start. */
export async function sendOne(
  context: SendContext,
  item: StartItem,
  row: VerificationRow,
): Promise<Sending | StartRefusal> {
  if (row.from_number !== null) return sendFromOwn(context, item, row, row.from_number);
  if (item.serviceNumber === null) return { kind: "no_sender" };
  return row.simulated
    ? simulateService(context, row, item.serviceNumber)
    : sendFromService(context, row, item.serviceNumber);
}

/** From a number of the account's own the text is a message like any other, with its code masked. */
async function sendFromOwn(
  { deps, tx, shard, reserved }: SendContext,
  item: StartItem,
  row: VerificationRow,
  from: string,
): Promise<Sending | StartRefusal> {
  const wanted: Wanted = {
    account: item.account,
    mode: row.mode,
    from,
    to: row.phone,
    body: maskedText(row.app_name, deps.config.verifyDomain),
    customerId: row.customer_id,
    poolId: item.own?.from === from ? item.own.poolId : null,
    verificationId: row.id,
  };
  const carrier = row.simulated ? null : deps.carriers.reserve(from);
  if (carrier) reserved.push(carrier);
  // The code is free until it is checked, and so is the text that brings it.
  const draft = row.simulated
    ? draftSimulated(deps, wanted)
    : draftLive(deps, wanted, carrier?.name ?? null, true);
  const [accepted] = await acceptIn(deps, tx, shard, [draft]);
  if (accepted?.verdict !== "accepted") {
    if (carrier) reserved.splice(reserved.indexOf(carrier), 1)[0]?.release(1);
    return { kind: "opted_out" };
  }
  const message = acceptedRow(draft, accepted);
  if (message.status === "failed") return { kind: "refused", messageId: message.id };
  if (row.simulated) return SENT;
  return { isSent: false, handOver: { kind: "own", message, carrier }, send: null, waits: false };
}

/** In the sandbox nothing leaves, and only what the test numbers stand for happens. */
function simulateService(
  { nowMs }: SendContext,
  row: VerificationRow,
  from: string,
): Sending | StartRefusal {
  const answer = simulatedHandOver(row.phone, 1);
  if (answer === "accept") return SENT;
  if (answer === "refuse") return { kind: "refused", messageId: null };
  const send = sendRow(row, from, "waiting", 1, null, nowMs, nowMs + FIRST_RETRY_MS);
  return { isSent: false, handOver: null, send: jsonOf(send), waits: true };
}

function sendFromService(
  { deps, nowMs, reserved }: SendContext,
  row: VerificationRow,
  from: string,
): Sending {
  const carrier = deps.carriers.reserve(from);
  if (!carrier) {
    const send = sendRow(row, from, "waiting", 0, null, nowMs, nowMs);
    return { isSent: false, handOver: null, send: jsonOf(send), waits: true };
  }
  reserved.push(carrier);
  const send = sendRow(row, from, "open", 1, carrier.name, nowMs, nowMs + UNKNOWN_AFTER_MS);
  const handOver: HandOver = { kind: "service", send, carrier };
  return { isSent: false, handOver, send: jsonOf(send), waits: false };
}

function sendRow(
  row: VerificationRow,
  from: string,
  state: SendRow["state"],
  attempts: number,
  carrier: string | null,
  nowMs: number,
  nextAttemptAt: number,
): SendRow {
  return {
    shard: row.shard,
    account_id: row.account_id,
    verification_id: row.id,
    send: row.sends,
    mode: row.mode,
    phone: row.phone,
    from_number: from,
    simulated: row.simulated,
    state,
    attempts,
    resent: false,
    told: false,
    carrier,
    next_attempt_at: nextAttemptAt,
    created_at: nowMs,
  };
}

function jsonOf(send: SendRow): object {
  const next = send.next_attempt_at;
  return {
    ...send,
    next_attempt_at: next === null ? null : new Date(next).toISOString(),
    created_at: new Date(send.created_at).toISOString(),
  };
}
