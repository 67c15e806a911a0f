import { type FailureCode, Problem } from "@longwave/contract";
import { maySend } from "../../account/accounts/index.ts";
import { findCustomerCached } from "../../account/customers/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { assert } from "../../core/platform/assert.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { PreparedMessage } from "../messages/index.ts";
import { acceptIn } from "./accept.ts";
import { consentRefusals } from "./consent-refusals.ts";
import type { OutboundDeps } from "./deps.ts";
import { readLeaveChecks, type SenderState } from "./may-leave.ts";
import { prepare, prepareFailed, submissionsOf } from "./prepare.ts";
import type { OutboundRequest } from "./request.ts";
import { findNamedSender } from "./resolve-sender.ts";
import type { Submission } from "./submit.ts";
import type { WindowSlots } from "./window-slots.ts";

/** A due scheduled message, occurrence or automation step, checked and prepared. */
export interface DueSend {
  /** The request with its sender and customer filled in, as far as they are known. */
  readonly request: OutboundRequest;
  readonly message: PreparedMessage;
  /** The check that failed; `message` is then prepared as failed. */
  readonly failure: FailureCode | null;
}

/** Outcome of a due message. */
export interface DueOutcome {
  /** The stored message; null where an opt-out skips it. */
  readonly message: PreparedMessage | null;
  /** The check that failed, or null when the message was accepted. */
  readonly failure: FailureCode | null;
}

/**
 * Repeats every check of a single send for requests that have waited, and prepares their messages.
 *
 * `from` of a request is a number or the id of a sender pool. A request without a customer takes the number's.
 */
export async function prepareDue(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  requests: readonly OutboundRequest[],
  slots: WindowSlots,
): Promise<DueSend[]> {
  const phones: (string | null)[] = [];
  for (const request of requests) phones.push(await phoneOf(deps, request));
  const states = await readLeaveChecks(
    deps,
    tx,
    shard,
    requests.map((request, index) => ({
      account: request.account,
      mode: request.mode,
      from: phones[index] ?? null,
      to: request.to,
      customerId: request.customerId,
      isFromService: false,
      repliedAtMs: null,
    })),
  );
  const resolved = requests.map((request, index) =>
    withSender(request, phones[index] ?? null, states[index] as SenderState),
  );
  const refusals = await consentRefusals(deps, tx, resolved);
  const due: DueSend[] = [];
  for (const [index, request] of requests.entries()) {
    const resolvedRequest = resolved[index] as OutboundRequest;
    const failure =
      (await failureOf(deps, request, states[index] as SenderState)) ?? refusals.get(index) ?? null;
    const message =
      failure === null
        ? await prepare(deps, resolvedRequest, slots)
        : prepareFailed(deps, resolvedRequest, failure);
    due.push({ request: resolvedRequest, message, failure });
  }
  return due;
}

/** The number that a request names, or that its pool gives its recipient; null when there is none. */
async function phoneOf(deps: OutboundDeps, request: OutboundRequest): Promise<string | null> {
  const { account, mode, from, to } = request;
  const remember = maySend(account, mode);
  try {
    const number = await findNamedSender(deps, { account, mode, from, to, remember });
    return number.phone_number;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return null;
  }
}

function withSender(
  request: OutboundRequest,
  phone: string | null,
  { sender }: SenderState,
): OutboundRequest {
  return {
    ...request,
    from: phone ?? request.from,
    poolId: fromApiId("pool", request.from),
    customerId: request.customerId ?? sender?.customer_id ?? null,
  };
}

async function failureOf(
  deps: OutboundDeps,
  request: OutboundRequest,
  { refusal }: SenderState,
): Promise<FailureCode | null> {
  const { expiresAtMs = null } = request;
  if (expiresAtMs !== null && expiresAtMs <= deps.clock.now()) return "expired";
  if (refusal !== null) return refusal.failure;
  return (await hasLostCustomer(deps, request)) ? "sender_unavailable" : null;
}

/** Whether the customer that a request names was deleted meanwhile. */
async function hasLostCustomer(deps: OutboundDeps, request: OutboundRequest): Promise<boolean> {
  if (request.customerId === null) return false;
  try {
    await findCustomerCached(deps, request.account, toApiId("customer", request.customerId));
    return false;
  } catch (error) {
    if (error instanceof Problem) return true;
    throw error;
  }
}

/**
 * Stores due messages in the caller's transaction.
 *
 * A message that consent, quota or money refuses is stored as failed, free of charge. With `skipsOptedOut` an
 * opt-out stores nothing.
 */
export async function acceptDue(
  deps: OutboundDeps,
  tx: Tx,
  shard: number,
  due: readonly DueSend[],
  slots: WindowSlots,
  { skipsOptedOut }: { readonly skipsOptedOut: boolean },
): Promise<{ readonly outcomes: DueOutcome[]; readonly submissions: Submission[] }> {
  const isSkipped = (failure: FailureCode | null) =>
    skipsOptedOut && failure === "recipient_opted_out";
  const stored = due.filter(({ failure }) => !isSkipped(failure));
  const messages = stored.map(({ message }) => message);
  const accepted = messages.length === 0 ? [] : await acceptIn(deps, tx, shard, messages);
  const outcomes = new Map<DueSend, DueOutcome>();
  const refused: PreparedMessage[] = [];
  for (const [index, one] of stored.entries()) {
    const verdict = accepted[index]?.verdict;
    assert(verdict !== undefined && verdict !== "duplicate", "a due message claims no key");
    if (verdict === "accepted") outcomes.set(one, one);
    else if (isSkipped(verdict)) outcomes.set(one, { message: null, failure: verdict });
    else {
      const message = prepareFailed(deps, one.request, verdict);
      refused.push(message);
      outcomes.set(one, { message, failure: verdict });
    }
  }
  if (refused.length > 0) await acceptIn(deps, tx, shard, refused);
  return {
    outcomes: due.map((one) => outcomes.get(one) ?? { message: null, failure: one.failure }),
    submissions: submissionsOf(messages, accepted, slots),
  };
}
