import { isIP } from "node:net";
import {
  counted,
  Problem,
  parseTextable,
  type RouteInput,
  type Verification,
} from "@longwave/contract";
import type { Principal } from "../../accounts/index.ts";
import type { Context } from "../../api/handler.ts";
import { overSpendLimit } from "../../billing/index.ts";
import { isIn } from "../../carriers/index.ts";
import { findCustomerCached } from "../../customers/index.ts";
import {
  type ChosenSender,
  checkLiveSender,
  chooseSender,
  type HandoverDeps,
  handOverInTime,
  leavesForReal,
  type MessageRow,
  type SenderQuestion,
} from "../../handover/index.ts";
import { AlreadyClaimed, claimReleaseStep } from "../../idempotency/index.ts";
import { toApiId } from "../../platform/ids.ts";
import { LANES } from "../../queue/lane-names.ts";
import type { VerifyDeps } from "../deps.ts";
import { countsOwner } from "../fraud/counter-book.ts";
import { presentVerification } from "../present.ts";
import { checkAppName } from "./app-name.ts";
import type { Started, StartItem, StartRefusal, StartResult, UnknownSender } from "./item.ts";
import { canLeaveFrom, serviceNumberFor } from "./service-numbers.ts";

type StartInput = RouteInput<"verify.start">["body"];

/** One to learn which number it is, one to start; more only where others end and start codes meanwhile. */
const SENDER_TRIES_MAX = 4;

/** POST /verify: checks, then one write; a live text goes to its carrier before the answer. */
export async function startVerification(
  context: Context<Principal, VerifyDeps>,
  input: StartInput,
): Promise<{ status: 201; body: Verification }> {
  const { deps } = context;
  const item = await itemOf(context, input);
  const result = await startFromFitSender(deps, item);
  if (result.kind !== "started") throw refusalOf(item, result, deps.clock.now());
  const message = await handedOver(deps, item, result);
  if (message?.status === "failed") throw carrierRefusal(message.from_service ? null : message.id);
  return { status: 201, body: presentVerification(deps, result.row) };
}

/**
 * A resend comes from the number that the first text came from, whatever its request names, and that
 * number is checked as for a first text. Which it is shows only among the writes: one that the request has
 * not had checked is checked outside of them, and the start is tried again.
 */
async function startFromFitSender(
  deps: VerifyDeps,
  item: StartItem,
): Promise<Exclude<StartResult, UnknownSender>> {
  const { account, mode, phone } = item;
  let fitSenders = item.fitSenders;
  for (let tries = 0; tries < SENDER_TRIES_MAX; tries += 1) {
    const result = await deps.verifications.starts.add({ ...item, fitSenders });
    if (result.kind !== "unknown_sender") return result;
    const { from } = result;
    await fitSender(deps, { account, mode, from, to: phone, customerApiId: undefined });
    fitSenders = [...fitSenders, from];
  }
  throw new Problem(
    "unavailable",
    "Other requests change what codes to this phone come from. Try again in a moment.",
    { headers: { "retry-after": "1" } },
  );
}

/** The text after its carrier was called, here or where the link is; null where none is yet. */
async function handedOver(
  deps: VerifyDeps,
  item: StartItem,
  { handOver, waiting }: Started,
): Promise<MessageRow | null> {
  if (handOver) return handOverInTime(deps, handOver, item.claim);
  if (!waiting) return null;
  deps.wakes.wakeAt(LANES.dispatch, waiting.next_attempt_at ?? 0);
  if (!isIn(deps.carriers.elsewhere(), waiting.from_number)) return null;
  const message = await deps.elsewhere(waiting);
  if (item.claim && message.status === "failed") {
    const { statement, values } = claimReleaseStep(item.claim);
    await deps.db.query(statement, values);
  }
  return message;
}

/** What can be said about the fields without asking anybody. */
export function readStart(deps: VerifyDeps, input: StartInput) {
  const parsed = parseTextable(input.phone, { extraRegions: deps.extraRegions });
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
  const wanted = { account, mode, to: phone, body: "", customerId, poolId: null };
  const leaves =
    from === null || !canLeaveFrom(deps, from)
      ? mode === "live"
      : await leavesForReal(deps, { ...wanted, from });
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
    own,
    fitSenders: own === null ? [] : [own.from],
    serviceNumber,
    leaves,
    claim: context.claim,
    serialize,
  };
}

async function senderOf(
  deps: HandoverDeps,
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
  const sender = await fitSender(deps, { account, mode, from, to: phone, customerApiId });
  const own = { from: sender.number.phone_number, poolId: sender.poolId };
  return { own, customerId: sender.customerId };
}

/** The account's own number that a code comes from, if it may text this phone now. */
async function fitSender(
  deps: HandoverDeps,
  question: Omit<SenderQuestion, "remember">,
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

/** The refusal that a start which did not start stands for. */
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
