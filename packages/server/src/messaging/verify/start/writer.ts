import { isUnavailable } from "../../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../../core/db/driver/group.ts";
import { nextDayMs } from "../../../core/platform/clock.ts";
import { endClaim, takeClaims } from "../../../http/idempotency/index.ts";
import { countRealSend, type OutboundDeps, withSlots } from "../../outbound/index.ts";
import { addToCounters, counterKeysOf, exchangeOf, prefixOf } from "../fraud/counter-keys.ts";
import { type FraudScore, isScored, scoreSend } from "../fraud/rules.ts";
import { tripService } from "../fraud/service-loss.ts";
import { presentVerification } from "../present.ts";
import { verificationPrice } from "../price.ts";
import { blockedEvent, sentEvent } from "../verification-events.ts";
import { expiryOf, statusAt, type VerificationRow } from "../verification-row.ts";
import { type ComposedCode, composeCode } from "./compose-code.ts";
import type { StartItem, StartRefusal, StartResult, UnknownSender } from "./item.ts";
import { addDecision, emit, newPlan, type StartPlan, writePlan } from "./plan.ts";
import {
  failuresInRow,
  secondsToWait,
  secondsToWaitAcrossAccounts,
  sendsInDay,
  sendsInHour,
} from "./send-limits.ts";
import {
  blockKey,
  isPaidByService,
  type PhoneState,
  readStartState,
  type StartState,
} from "./state.ts";

export type StartWriter = Group<StartItem, StartResult>;

const ITEMS_PER_WRITE_MAX = 200;
const ITEMS_WAITING_MAX = 5_000;
const HOUR_MS = 3_600_000;

/**
 * Starts verifications in groups. A group locks its accounts, so that no other transaction counts,
 * blocks or sends for them meanwhile. If any read fails, the group sends nothing.
 */
export function createStartWriter(deps: OutboundDeps): StartWriter {
  return createGroup<StartItem, StartResult>({
    meter: deps.metrics.group("verification_starts"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const results = new Map<StartItem, StartResult>();
      for (const shard of new Set(items.map((item) => item.account.shard))) {
        const group = items.filter((item) => item.account.shard === shard);
        const written = await writeGroup(deps, shard, group);
        group.forEach((item, index) => {
          results.set(item, written[index] as StartResult);
        });
      }
      return items.map((item) => results.get(item) as StartResult);
    },
  });
}

function writeGroup(
  deps: OutboundDeps,
  shard: number,
  items: readonly StartItem[],
): Promise<StartResult[]> {
  return withSlots(deps.carriers, (slots) =>
    deps.db.tx(async (tx) => {
      slots.releaseAll();
      const nowMs = deps.clock.now();
      const [state, isFirst] = await Promise.all([
        readStartState(tx, shard, items, nowMs),
        takeClaims(deps, tx, items),
      ]);
      const plan = newPlan({ deps, tx, shard, nowMs, state, slots });
      const made: StartResult[] = [];
      for (const [index, item] of items.entries()) {
        made.push(isFirst[index] ? await startOnce(plan, item) : { kind: "duplicate" });
      }
      writePlan(plan, items);
      return made;
    }, "groups"),
  );
}

/** Starts one verification and stores the answer of its Idempotency-Key. A refusal releases the key. */
async function startOnce(plan: StartPlan, item: StartItem): Promise<StartResult> {
  const { deps, tx } = plan;
  const result = await startOne(plan, item);
  if (!item.claim) return result;
  const answer =
    result.kind === "started"
      ? { status: 201, text: item.serialize(201, presentVerification(deps, result.row)) }
      : null;
  tx.send(endClaim(deps, item.claim, answer));
  return result;
}

async function startOne(plan: StartPlan, item: StartItem): Promise<StartResult> {
  const { state, nowMs } = plan;
  const phone = state.phoneOf(item);
  const newest = phone.newest;
  const pending = newest && statusAt(newest, nowMs) === "pending" ? newest : null;
  const refusal = refusalBeforeScoring(plan, item, pending);
  if (refusal !== null) return refusal;
  const score = scoreItem(plan, item, pending, phone.sentAtMs);
  if (!score.allowed) return block(plan, item, score);
  const decisionId = plan.deps.ids.makeAt(nowMs);
  let row = pending
    ? { ...pending, sends: pending.sends + 1, decision_id: decisionId }
    : newRow(plan, item, decisionId);
  if (!row.simulated && !(await countRealSend(plan.deps, item))) {
    const retryAfterSeconds = Math.ceil((nextDayMs(nowMs) - nowMs) / 1_000);
    if (pending) return { kind: "limited", retryAfterSeconds };
    row = { ...row, simulated: true };
  }
  const code = await composeCode(plan.deps, item, row, plan.slots);
  const { message } = code;
  if (message) plan.messages.push(message);
  if ("kind" in code) return code;
  addDecision(plan, item, score, decisionId, row.id);
  applyStart(plan, item, row, phone, code);
  const submission = message?.carrier ? { row: message.row, carrier: message.carrier } : null;
  const queued = submission === null && !code.isSent ? (message?.row ?? null) : null;
  return { kind: "started", row, submission, queued };
}

/** First refusal that needs no fraud score: sender, payment, limits, consent. */
function refusalBeforeScoring(
  plan: StartPlan,
  item: StartItem,
  pending: VerificationRow | null,
): StartRefusal | UnknownSender | null {
  const { state, nowMs } = plan;
  const from = pending?.from_number ?? null;
  if (from !== null && !item.checkedSenders.includes(from)) return { kind: "unknown_sender", from };
  const unpaidReason = pending ? null : paymentRefusal(plan, item);
  if (unpaidReason !== null) return { kind: unpaidReason };
  const wait =
    secondsToWait(state.phoneOf(item), pending, nowMs) ?? secondsToWaitAsTarget(plan, item);
  if (wait !== null) return { kind: "limited", retryAfterSeconds: wait };
  return isStopped(state, item, pending) ? { kind: "opted_out" } : null;
}

/** Checks consent for an account's own numbers, and STOPs to the service for the service's numbers. */
function isStopped(state: StartState, item: StartItem, pending: VerificationRow | null): boolean {
  const isOwn = pending ? pending.from_number !== null : item.own !== null;
  if (!isOwn) return state.stopped.has(item.phone);
  return state.isOptedOut(item, pending ? pending.customer_id : item.customerId);
}

/** Applies the hourly limit of a phone over all accounts. */
export function secondsToWaitAsTarget(
  { deps, state, nowMs }: StartPlan,
  item: StartItem,
): number | null {
  const sentAtMs = state.targets.get(item.phone);
  if (!item.isViaCarrier || !sentAtMs) return null;
  return secondsToWaitAcrossAccounts(
    sentAtMs,
    deps.config.verifyRules.phone_per_hour_all_accounts,
    nowMs,
  );
}

/** Requires credit and spend limit for the price of an approval, unless the allowance covers it. */
function paymentRefusal(
  { deps, state }: StartPlan,
  item: StartItem,
): "no_credit" | "over_limit" | null {
  const price = verificationPrice(deps, item.phone);
  if (item.mode === "test" || price === 0) return null;
  const money = state.money.get(item.account.id);
  if (!money) return "no_credit";
  if (money.freeVerifications > 0) return null;
  if (money.roomMicros !== null && money.roomMicros < price) return "over_limit";
  return hasCredit(state, item, price) ? null : "no_credit";
}

function hasCredit(state: StartState, item: StartItem, price: number): boolean {
  return price === 0 || (state.money.get(item.account.id)?.availableMicros ?? 0) >= price;
}

/** Applies the fraud rules to one code. `pending`: the verification that a resend repeats. */
export function scoreItem(
  { deps, state, nowMs }: StartPlan,
  item: StartItem,
  pending: VerificationRow | null,
  sentAtMs: readonly number[],
  isResend = pending !== null,
): FraudScore {
  const { owner } = item;
  const prefixes = [prefixOf(item.phone), exchangeOf(item.phone)];
  const attempt = {
    phone: item.phone,
    country: item.country,
    lineType: item.lineType,
    ip: item.ip,
    isResend,
    sendsToPhoneInDay: sendsInDay(sentAtMs, nowMs).length,
    blockedPrefix: prefixes.find((prefix) => state.blocked.has(blockKey(owner, prefix))) ?? null,
    service: isPaidByService(item, pending) ? state.service : null,
    isFree:
      item.mode === "live" &&
      item.isViaCarrier &&
      !hasCredit(state, item, verificationPrice(deps, item.phone)),
  };
  return scoreSend(attempt, state.countersOf(owner), deps.config.verifyRules);
}

/** Records a refusal: decision, counts, event and prefix block. */
export function block(
  plan: StartPlan,
  item: StartItem,
  score: FraudScore,
): StartRefusal & { readonly kind: "blocked" } {
  const { deps, state, nowMs } = plan;
  const { owner } = item;
  const reason = score.reason ?? "destination";
  if (score.block !== null) {
    const key = blockKey(owner, score.block);
    state.blocked.add(key);
    plan.blocks.set(key, {
      account_id: owner.accountId,
      mode: owner.mode,
      prefix: score.block,
      rule: reason,
      created_at: new Date(nowMs).toISOString(),
      blocked_until: new Date(nowMs + deps.config.verifyRules.block_hours * HOUR_MS).toISOString(),
    });
  }
  if (reason === "service_loss") stopService(plan);
  plan.hours.add(owner, { blocked: 1 });
  addDecision(plan, item, score, deps.ids.makeAt(nowMs), null);
  emit(
    plan,
    item,
    blockedEvent({ mode: item.mode, phone: item.phone, customer_id: item.customerId }, reason),
  );
  return { kind: "blocked", reason };
}

/** Stops the service's own numbers at the first code over the limit, and alerts the operator. */
function stopService({ deps, tx, state, nowMs }: StartPlan): void {
  if (state.service === null || state.service.isTripped) return;
  state.service.isTripped = true;
  tripService(tx, nowMs);
  deps.log.error(
    { unanswered_today: state.service.unanswered },
    "verify: service numbers stopped for 24 hours, too many codes unanswered",
  );
}

function newRow(
  { deps, shard, nowMs }: StartPlan,
  item: StartItem,
  decisionId: string,
): VerificationRow {
  return {
    shard,
    account_id: item.account.id,
    id: deps.ids.makeAt(nowMs),
    mode: item.mode,
    phone: item.phone,
    status: "pending",
    app_name: item.appName,
    customer_id: item.customerId,
    from_number: item.own?.from ?? null,
    attempts: 0,
    sends: 1,
    charged: false,
    price_micros: 0,
    simulated: !item.isViaCarrier,
    created_at: nowMs,
    expires_at: expiryOf(nowMs),
    approved_at: null,
    ended_at: null,
    decision_id: decisionId,
    metadata: item.metadata,
  };
}

/** Updates counters, phone state and events after a code was composed. */
function applyStart(
  plan: StartPlan,
  item: StartItem,
  row: VerificationRow,
  phone: PhoneState,
  { isSent }: ComposedCode,
): void {
  const { nowMs } = plan;
  const isNew = row.sends === 1;
  if (isNew) phone.failures = failuresInRow(phone.failures, phone.newest, nowMs);
  phone.newest = row;
  if (isNew || plan.started.has(row.id)) plan.started.set(row.id, row);
  else plan.resent.set(row.id, row);
  countSend(plan, item, phone, { isNew, isPaidByService: isPaidByService(item, row) });
  plan.hours.add(item.owner, { started: isNew ? 1 : 0, sent: isSent ? 1 : 0 });
  if (isSent) emit(plan, item, sentEvent(row));
}

/** Adds a code to every counter that limits and fraud rules read. */
export function countSend(
  plan: StartPlan,
  item: StartItem,
  phone: PhoneState,
  code: { readonly isNew: boolean; readonly isPaidByService: boolean },
): void {
  const { state, nowMs } = plan;
  phone.sentAtMs = [...sendsInDay(phone.sentAtMs, nowMs), nowMs];
  phone.isChanged = true;
  if (state.service && code.isPaidByService) {
    state.service.unanswered += 1;
    plan.paidByService += 1;
  }
  const target = state.targets.get(item.phone);
  if (item.isViaCarrier && target) {
    state.targets.set(item.phone, [...sendsInHour(target, nowMs), nowMs]);
  }
  const scored = code.isNew && isScored(item.phone) ? 1 : 0;
  const counters = state.countersOf(item.owner);
  addToCounters(counters, counterKeysOf(item.phone, item.ip), nowMs, { started: scored, sent: 1 });
  plan.hours.add(item.owner, { scored });
}
