import { type FailureCode, isRegistrationCountry, type Mode } from "@longwave/contract";
import { type AccountRow, maySend } from "../../account/accounts/index.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { isRegisterable, readSenders, type Sender } from "../../network/numbers/index.ts";
import { findOptedOut } from "../messages/index.ts";
import type { OutboundDeps } from "./deps.ts";

/** Sender of codes that come from the service's own numbers: no account owns it. */
export const SERVICE = "service" as const;

/** State of account, sending number and recipient at the moment a message that waited is due. */
export interface LeaveFacts {
  readonly mode: Mode;
  readonly account: Pick<AccountRow, "status" | "live_access">;
  /** null: the account no longer has the number. */
  readonly sender: Sender | typeof SERVICE | null;
  /** The message's customer; null without one. */
  readonly customerId: string | null;
  /** The recipient opted out for the message's customer, or for the customer the number belongs to now. */
  readonly isOptedOut: boolean;
  /** The recipient is one of the account's verified numbers. */
  readonly isVerified: boolean;
  /** Carriers of the recipient's country want no registration. */
  readonly isAbroad: boolean;
  readonly isAutoReply: boolean;
}

/** Why a message that waited may not leave. */
export interface LeaveRefusal {
  /** The message fails with this code. */
  readonly failure: FailureCode;
  /** A batch keeps the message queued instead, and sends it once the reason is gone. */
  readonly defersBatch: boolean;
}

interface LeaveRule extends LeaveRefusal {
  applies(facts: LeaveFacts): boolean;
}

/**
 * The rules for every message that waited: batch rows, scheduled messages, occurrences, automation steps,
 * carrier retries, quiet-hours deferrals and code resends. The first rule that applies decides.
 */
// biome-ignore format: one rule per line, read as a table
const LEAVE_RULES: readonly LeaveRule[] = [
  { applies: isAccountClosed,       failure: "sender_unavailable",    defersBatch: true },
  { applies: (is) => is.isOptedOut, failure: "recipient_opted_out",   defersBatch: false },
  { applies: isSenderLost,          failure: "sender_unavailable",    defersBatch: false },
  { applies: isOfOtherCustomer,     failure: "sender_unavailable",    defersBatch: false },
  { applies: isUnregistered,        failure: "sender_not_registered", defersBatch: false },
];

/** Decides whether a message that waited may leave now; null: it may. */
export function leaveRefusal(facts: LeaveFacts): LeaveRefusal | null {
  return LEAVE_RULES.find((rule) => rule.applies(facts)) ?? null;
}

function isAccountClosed({ account, mode }: LeaveFacts): boolean {
  return !maySend(account, mode);
}

function isSenderLost({ sender, mode }: LeaveFacts): boolean {
  if (sender === SERVICE) return false;
  return sender === null || sender.unpaid || sender.mode !== mode;
}

/** A message without a customer is sent for the number's present customer. */
function isOfOtherCustomer({ sender, customerId }: LeaveFacts): boolean {
  if (sender === SERVICE || sender === null) return false;
  return customerId !== null && sender.customer_id !== null && sender.customer_id !== customerId;
}

/** Automatic replies may leave an unregistered number, and an account may always message its verified numbers. */
function isUnregistered({ sender, isAutoReply, isVerified: isOwn, isAbroad }: LeaveFacts): boolean {
  return needsRegistration(sender) && !isAutoReply && !isOwn && !isAbroad;
}

/** Whether a number may message the account's verified numbers only. */
export function needsRegistration(sender: LeaveFacts["sender"]): boolean {
  if (sender === SERVICE || sender === null || sender.sender_state === "active") return false;
  return isRegisterable("verify", sender.mode, sender.type, sender.country);
}

/** A message about to leave after it waited. */
export interface LeaveChecks {
  readonly account: Pick<AccountRow, "id" | "shard" | "status" | "live_access">;
  readonly mode: Mode;
  /** E.164; null when no number could be found for it. */
  readonly from: string | null;
  readonly to: string;
  readonly customerId: string | null;
  readonly isFromService: boolean;
  /** Creation time of an automatic reply: earlier opt-outs do not block it. Null for other messages. */
  readonly repliedAtMs: number | null;
}

/** The decision, and the number as it is now. */
export interface SenderState {
  readonly refusal: LeaveRefusal | null;
  readonly sender: Sender | null;
}

/** Why one message may not leave now; null: it may. */
export async function leaveRefusalOf(
  deps: Pick<OutboundDeps, "isVerified">,
  db: Queryable,
  shard: number,
  leaving: LeaveChecks,
): Promise<LeaveRefusal | null> {
  const [state] = await readLeaveChecks(deps, db, shard, [leaving]);
  return state?.refusal ?? null;
}

/** Checks messages of one shard with two queries, whatever their number. */
export async function readLeaveChecks(
  deps: Pick<OutboundDeps, "isVerified">,
  db: Queryable,
  shard: number,
  leaving: readonly LeaveChecks[],
): Promise<SenderState[]> {
  const senderOf = await readSenders(
    db,
    leaving.flatMap((one) => refOf(one) ?? []),
  );
  const senders = leaving.map((one) => {
    const ref = refOf(one);
    return ref === null ? null : senderOf(ref);
  });
  const optedOut = await optedOutAmong(db, shard, leaving, senders);
  return Promise.all(
    leaving.map(async (one, index): Promise<SenderState> => {
      const { account, mode, customerId } = one;
      const owned = senders[index] ?? null;
      const sender: LeaveFacts["sender"] = one.isFromService ? SERVICE : owned;
      const isOwn = needsRegistration(sender) && (await deps.isVerified(account, one.to));
      const isAbroad = !isRegistrationCountry(one.to);
      const recipient = { isOptedOut: optedOut.has(index), isVerified: isOwn, isAbroad };
      const isAutoReply = one.repliedAtMs !== null;
      const facts = { mode, account, sender, customerId, isAutoReply, ...recipient };
      return { refusal: leaveRefusal(facts), sender: owned };
    }),
  );
}

function refOf({ account, from, isFromService }: LeaveChecks) {
  return from === null || isFromService ? null : { accountId: account.id, phone: from };
}

/** Indexes of messages whose recipient opted out for the message's customer or the number's present one. */
async function optedOutAmong(
  db: Queryable,
  shard: number,
  leaving: readonly LeaveChecks[],
  senders: readonly (Sender | null)[],
): Promise<ReadonlySet<number>> {
  const items = leaving.flatMap((one, index) => {
    // STOP to the service's numbers blocks only codes: see the verification follower.
    if (one.isFromService) return [];
    const customers = consentCustomers(one.customerId, senders[index] ?? null);
    return customers.map((customer_id) => ({
      id: String(index),
      account_id: one.account.id,
      mode: one.mode,
      to_number: one.to,
      customer_id,
      replied_at: one.repliedAtMs === null ? null : new Date(one.repliedAtMs),
    }));
  });
  if (items.length === 0) return new Set();
  const found = await db.query<{ id: string }>(findOptedOut, [shard, JSON.stringify(items)]);
  return new Set(found.map((row) => Number(row.id)));
}

/** Customers whose consent applies: the message's, and the number's present one. */
export function consentCustomers(
  customerId: string | null,
  sender: Pick<Sender, "customer_id"> | null,
): readonly (string | null)[] {
  const now = sender?.customer_id ?? null;
  return now === null || now === customerId ? [customerId] : [customerId, now];
}
