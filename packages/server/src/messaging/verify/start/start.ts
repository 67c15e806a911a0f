import { isIP } from "node:net";
import {
  counted,
  Problem,
  parseDestination,
  type RouteInput,
  type Verification,
} from "@longwave/contract";
import type { Principal } from "../../../account/accounts/index.ts";
import { overSpendLimit } from "../../../account/billing/index.ts";
import { findCustomerCached } from "../../../account/customers/index.ts";
import { toApiId } from "../../../core/platform/ids.ts";
import { LANES } from "../../../core/queue/lane-names.ts";
import type { Context } from "../../../http/api/handler.ts";
import { AlreadyClaimed, endClaim } from "../../../http/idempotency/index.ts";
import { canLeaveFrom, isIn, serviceNumberFor } from "../../../network/carriers/index.ts";
import type { MessageRow } from "../../messages/index.ts";
import {
  type ChosenSender,
  checkLiveSender,
  chooseSender,
  metadataOrNull,
  type OutboundDeps,
  type SenderQuery,
  sourceNumberOf,
  submitBeforeDeadline,
  usesRealCarrier,
} from "../../outbound/index.ts";
import type { VerifyDeps } from "../deps.ts";
import { countsOwner } from "../fraud/velocity-counters.ts";
import { presentVerification } from "../present.ts";
import { checkAppName } from "./app-name.ts";
import type { Started, StartItem, StartRefusal, StartResult, UnknownSender } from "./item.ts";

type StartInput = RouteInput<"verify.start">["body"];

/** One try to learn the sender of a resend, one to start; more only if parallel requests change the sender. */
const SENDER_TRIES_MAX = 4;

/** POST /verify: validates, writes once, and submits a live code before answering. */
export async function startVerification(
  context: Context<Principal, VerifyDeps>,
  input: StartInput,
): Promise<{ status: 201; body: Verification }> {
  const { deps } = context;
  const item = await itemOf(context, input);
  const result = await startFromCheckedSender(deps, item);
  if (result.kind !== "started") throw refusalOf(item, result, deps.clock.now());
  const message = await submitCode(deps, item, result);
  if (message?.status === "failed") throw carrierRefusal(message.from_service ? null : message.id);
  return { status: 201, body: presentVerification(deps, result.row) };
}

/**
 * A resend uses the sender of the first code, whatever its request names, and that sender passes the
 * same checks. Only the writer learns which number that is. If the request has not checked it yet, the
 * check runs outside the transaction and the start is retried.
 */
async function startFromCheckedSender(
  deps: VerifyDeps,
  item: StartItem,
): Promise<Exclude<StartResult, UnknownSender>> {
  const { account, mode, phone } = item;
  let checkedSenders = item.checkedSenders;
  for (let tries = 0; tries < SENDER_TRIES_MAX; tries += 1) {
    const result = await deps.verifications.starts.add({ ...item, checkedSenders });
    if (result.kind !== "unknown_sender") return result;
    const { from } = result;
    await chooseCheckedSender(deps, { account, mode, from, to: phone, customerApiId: undefined });
    checkedSenders = [...checkedSenders, from];
  }
  throw new Problem(
    "unavailable",
    "Other requests change what codes to this phone come from. Try again in a moment.",
    { headers: { "retry-after": "1" } },
  );
}

/** Submits a code, here or in the process that owns the bind; null: no carrier was called yet. */
async function submitCode(
  deps: VerifyDeps,
  item: StartItem,
  { submission, queued }: Started,
): Promise<MessageRow | null> {
  if (submission) return submitBeforeDeadline(deps, submission, item.claim);
  if (!queued) return null;
  deps.wakes.wakeAt(LANES.dispatch, queued.next_attempt_at ?? 0);
  if (!isIn(deps.carriers.remoteNumbers(), sourceNumberOf(deps, queued))) return null;
  const message = await deps.remoteSubmits(queued);
  if (item.claim && message.status === "failed") {
    await deps.db.query(endClaim(deps, item.claim, null));
  }
  return message;
}

/** Validates the fields that need no database read. */
export function readStart(deps: VerifyDeps, input: StartInput) {
  const parsed = parseDestination(input.phone, deps.destinations);
  if (!parsed.ok) {
    throw new Problem("invalid_request", `phone: ${parsed.reason}`, { param: "phone" });
  }
  const appName = checkAppName(input.app_name, deps.config.verifyRules.reserved_names);
  if (input.ip !== undefined && isIP(input.ip) === 0) {
    throw new Problem("invalid_request", "ip must be an IPv4 or IPv6 address.", { param: "ip" });
  }
  return { phone: parsed.e164, country: parsed.country, appName };
}

async function itemOf(
  context: Context<Principal, VerifyDeps>,
  input: StartInput,
): Promise<StartItem> {
  const { deps, caller, serialize } = context;
  const { account, mode } = caller;
  const { phone, country, appName } = readStart(deps, input);
  const { own, customerId } = await senderOf(deps, caller, input, phone);
  const serviceNumber = serviceNumberFor(deps, mode, phone);
  const from = own?.from ?? serviceNumber;
  const request = { account, mode, to: phone, body: "", customerId, poolId: null };
  const isViaCarrier =
    from === null || !canLeaveFrom(deps, from)
      ? mode === "live"
      : await usesRealCarrier(deps, { ...request, from });
  const findings = await deps.lookup.find([phone]);
  return {
    account,
    mode,
    owner: countsOwner(account.id, mode),
    phone,
    country,
    lineType: findings.get(phone)?.lineType ?? "unknown",
    appName,
    customerId,
    ip: input.ip ?? null,
    metadata: metadataOrNull(input.metadata),
    own,
    checkedSenders: own === null ? [] : [own.from],
    serviceNumber,
    isViaCarrier,
    claim: context.claim,
    serialize,
  };
}

async function senderOf(
  deps: OutboundDeps,
  { account, mode }: Principal,
  input: StartInput,
  phone: string,
): Promise<Pick<StartItem, "own" | "customerId">> {
  if (input.from === undefined) {
    if (input.customer_id === undefined) return { own: null, customerId: null };
    const customer = await findCustomerCached(deps, account, input.customer_id);
    return { own: null, customerId: customer.id };
  }
  const { from, customer_id: customerApiId } = input;
  const sender = await chooseCheckedSender(deps, { account, mode, from, to: phone, customerApiId });
  const own = { from: sender.number.phone_number, poolId: sender.poolId };
  return { own, customerId: sender.customerId };
}

/** Chooses the account's own number for a code; throws unless it may send to this phone now. */
async function chooseCheckedSender(
  deps: OutboundDeps,
  question: Omit<SenderQuery, "remember">,
): Promise<ChosenSender> {
  const sender = await chooseSender(deps, { ...question, remember: true });
  if (question.mode === "live") {
    await checkLiveSender(deps, question.account, sender.number, question.to);
  }
  return sender;
}

function carrierRefusal(messageId: string | null): Problem {
  const beside = messageId === null ? {} : { message_id: toApiId("message", messageId) };
  return new Problem(
    "carrier_error",
    "The carrier refused the text for good. Nothing is pending; check the number and start again.",
    { beside },
  );
}

/** API error of a refused start. */
function refusalOf(item: StartItem, result: StartRefusal, nowMs: number): Error {
  switch (result.kind) {
    case "duplicate":
      return new AlreadyClaimed();
    case "no_credit":
      return new Problem(
        "insufficient_credits",
        "This month's free verifications are used up, and the balance does not cover another. Add credit.",
      );
    case "over_limit":
      return overSpendLimit("A successful check of this verification", nowMs);
    case "opted_out":
      return new Problem("recipient_opted_out", `${item.phone} has opted out of these texts.`, {
        param: "phone",
      });
    case "no_sender":
      return new Problem(
        "unavailable",
        "The service has no number to send codes from. Name a number of yours as from, or ask the operator to set LONGWAVE_VERIFY_NUMBERS.",
      );
    case "limited":
      return new Problem(
        "rate_limited",
        `${item.phone} has had as many codes as it may. Try again in ${counted(result.retryAfterSeconds, "second")}.`,
        { param: "phone", headers: { "retry-after": String(result.retryAfterSeconds) } },
      );
    case "blocked":
      return new Problem(
        "verification_blocked",
        `Fraud protection blocked this verification (${result.reason}). Nothing was sent or charged. GET /v1/verify/decisions shows what it saw.`,
        { param: "phone", beside: { charged: false } },
      );
    case "refused":
      return carrierRefusal(result.messageId);
  }
}
