import { isIP } from "node:net";
import { Problem, parseTextable, type RouteInput, type Verification } from "@longwave/contract";
import type { Principal } from "../../accounts/index.ts";
import type { Context } from "../../api/handler.ts";
import { findCustomerCached } from "../../customers/index.ts";
import { checkLiveSender, chooseSender, handOver, leavesForReal } from "../../handover/index.ts";
import { AlreadyClaimed, type IdempotencyClaim, releaseClaim } from "../../idempotency/index.ts";
import { lookupLineTypes } from "../../lookup/index.ts";
import { toApiId } from "../../platform/ids.ts";
import type { VerifyDeps as Deps } from "../deps.ts";
import { presentVerification } from "../present.ts";
import { dropVerification } from "../sql.ts";
import type { VerificationRow } from "../verification-row.ts";
import { checkAppName } from "./app-name.ts";
import type { HandOver, StartItem, StartRefusal } from "./item.ts";
import { handOverSend, type Settled, tellSent } from "./sends.ts";
import { VERIFICATION_SENDS_LANE } from "./sends-lane.ts";
import { canLeaveFrom, serviceNumberFor } from "./service-numbers.ts";
import { lockAccountsOf } from "./state.ts";

type StartInput = RouteInput<"verify.start">["body"];
/** How long a request waits for the carrier; what comes later is written down all the same. */
const ANSWER_WAIT_MS_MAX = 3_000;

/** POST /verify: checks, then one write; a live text goes to its carrier before the answer. */
export async function startVerification(
  context: Context<Principal, Deps>,
  input: StartInput,
): Promise<{ status: 201; body: Verification }> {
  const { deps } = context;
  const item = await itemOf(context, input);
  const result = await deps.verifications.starts.add(item);
  if (result.kind !== "started") throw refusalOf(item, result);
  if (result.waits) deps.wakes.wake(VERIFICATION_SENDS_LANE);
  if (result.handOver) {
    const settled = await handOverInTime(deps, result.row, result.handOver, item.claim);
    if (settled === "refused") throw carrierRefusal(messageOf(result.handOver));
  }
  return { status: 201, body: presentVerification(deps, result.row) };
}

async function itemOf(context: Context<Principal, Deps>, input: StartInput): Promise<StartItem> {
  const { deps, caller, serialize } = context;
  const { account, mode } = caller;
  const parsed = parseTextable(input.phone, { extraRegions: deps.extraRegions });
  if (!parsed.ok) {
    throw new Problem("invalid_request", `phone: ${parsed.reason}`, { param: "phone" });
  }
  const phone = parsed.e164;
  const appName = checkAppName(input.app_name, deps.config.verifyRules.reserved_names);
  if (input.ip !== undefined && isIP(input.ip) === 0) {
    throw new Problem("invalid_request", "ip must be an IPv4 or IPv6 address.", { param: "ip" });
  }
  const { own, customerId } = await senderOf(deps, caller, input, phone);
  const serviceNumber = serviceNumberFor(deps, mode, phone);
  const from = own?.from ?? serviceNumber;
  const wanted = { account, mode, to: phone, body: "", customerId, poolId: null };
  const leaves =
    from === null || !canLeaveFrom(deps, from)
      ? mode === "live"
      : await leavesForReal(deps, { ...wanted, from });
  const lineTypes = await lookupLineTypes([phone]);
  return {
    account,
    mode,
    phone,
    country: parsed.country,
    lineType: lineTypes.get(phone) ?? "unknown",
    appName,
    customerId,
    ip: input.ip ?? null,
    own,
    serviceNumber,
    leaves,
    claim: context.claim,
    serialize,
  };
}

async function senderOf(
  deps: Deps,
  { account, mode }: Principal,
  input: StartInput,
  phone: string,
): Promise<Pick<StartItem, "own" | "customerId">> {
  if (input.from === undefined) {
    if (input.customer_id === undefined) return { own: null, customerId: null };
    const customer = await findCustomerCached(deps, account, input.customer_id);
    return { own: null, customerId: customer.id };
  }
  const sender = await chooseSender(deps, {
    account,
    mode,
    from: input.from,
    to: phone,
    customerApiId: input.customer_id,
    remember: true,
  });
  if (mode === "live") await checkLiveSender(deps, account, sender.number, phone);
  const own = { from: sender.number.phone_number, poolId: sender.poolId };
  return { own, customerId: sender.customerId };
}

/** Waits for the carrier's word, but not for long. */
async function handOverInTime(
  deps: Deps,
  row: VerificationRow,
  given: HandOver,
  claim: IdempotencyClaim | null,
): Promise<Settled> {
  const stopWaiting = new AbortController();
  const settled =
    given.kind === "service"
      ? handOverSend(deps, given.carrier, given.send, row.app_name, claim)
      : handOverOwn(deps, row, given, claim);
  settled.catch((error: unknown) =>
    deps.log.error({ err: error, verification_id: row.id }, "a hand-over failed"),
  );
  const late = deps.clock
    .sleep(ANSWER_WAIT_MS_MAX, stopWaiting.signal)
    .then((): Settled => "going");
  try {
    return await Promise.race([settled, late]);
  } finally {
    stopWaiting.abort();
  }
}

/** The message goes its way; a refusal for good takes the verification back with it. */
async function handOverOwn(
  deps: Deps,
  row: VerificationRow,
  { message, carrier }: Extract<HandOver, { kind: "own" }>,
  claim: IdempotencyClaim | null,
): Promise<Settled> {
  const settled = carrier ? await handOver(deps, carrier, message, null) : message;
  if (!carrier) deps.wakes.wake("messages");
  const isRefused = settled?.status === "failed";
  await deps.db.tx(async (tx) => {
    if (!isRefused) return tellSent(deps, tx, { ...row, verification_id: row.id });
    await lockAccountsOf(tx, row.shard, [{ account: { id: row.account_id } }]);
    const values = [row.shard, row.account_id, row.id, row.mode, row.phone];
    await tx.query(dropVerification, values);
    if (claim) await releaseClaim(tx, claim);
  });
  return isRefused ? "refused" : "going";
}

function messageOf(given: HandOver): string | null {
  return given.kind === "own" ? given.message.id : null;
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
function refusalOf(item: StartItem, result: StartRefusal): Error {
  switch (result.kind) {
    case "duplicate":
      return new AlreadyClaimed();
    case "no_credit":
      return new Problem(
        "insufficient_credits",
        "This month's free verifications are used up, and the balance does not cover another. Add credit.",
      );
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
        `${item.phone} has had as many codes as it may. Try again in ${result.retryAfterSeconds} seconds.`,
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
