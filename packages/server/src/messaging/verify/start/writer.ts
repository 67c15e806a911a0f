import { PRICE_VERIFICATION_MICROS } from "@longwave/contract";
import { isUnavailable } from "../../db/failures.ts";
import { createGroup, type Group } from "../../db/group.ts";
import { type HandoverDeps, withPlaces } from "../../handover/index.ts";
import { claimAnswerStep, claimReleaseStep, takeClaims } from "../../idempotency/index.ts";
import { count, exchangeOf, keysWritten, prefixOf } from "../fraud/counted-keys.ts";
import { createHourBook } from "../fraud/counts.ts";
import { isJudged, type Judgement, judge } from "../fraud/rules.ts";
import { tripService } from "../fraud/service-loss.ts";
import { presentVerification } from "../present.ts";
import { blockedEvent, sentEvent } from "../verification-events.ts";
import { expiryOf, statusAt, type VerificationRow } from "../verification-row.ts";
import { type CodeText, composeCode } from "./compose-code.ts";
import type { StartItem, StartRefusal, StartResult, UnknownSender } from "./item.ts";
import { decide, emit, type StartPlan, writePlan } from "./plan.ts";

import {
  failuresInRow,
  secondsToWait,
  secondsToWaitOfAll,
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
 * Starts verifications by groups. A group holds the locks of its accounts, so nobody else counts,
 * blocks or texts for them meanwhile; when anything cannot be read, nothing is sent.
 */
export function createStartWriter(deps: HandoverDeps): StartWriter {
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
  deps: HandoverDeps,
  shard: number,
  items: readonly StartItem[],
): Promise<StartResult[]> {
  return withPlaces(deps.carriers, (places) =>
    deps.db.tx(async (tx) => {
      places.giveBackAll();
      const nowMs = deps.clock.now();
      const [state, isFree] = await Promise.all([
        readStartState(tx, shard, items, nowMs),
        takeClaims(
          deps,
          tx,
          items.map((item) => item.claim),
        ),
      ]);
      const plan: StartPlan = {
        deps,
        tx,
        shard,
        nowMs,
        state,
        places,
        hours: createHourBook(),
        made: new Map(),
        again: new Map(),
        decisions: [],
        blocks: new Map(),
        composed: [],
        paidByService: 0,
        events: [],
      };
      const made: StartResult[] = [];
      for (const [index, item] of items.entries()) {
        made.push(isFree[index] ? await startOnce(plan, item) : { kind: "duplicate" });
      }
      writePlan(plan, items);
      return made;
    }, "groups"),
  );
}

/** One start and the answer of its Idempotency-Key. What is no success frees the key. */
async function startOnce(plan: StartPlan, item: StartItem): Promise<StartResult> {
  const { deps, tx } = plan;
  const result = await startOne(plan, item);
  if (!item.claim) return result;
  const step =
    result.kind === "started"
      ? claimAnswerStep(
          deps,
          item.claim,
          201,
          item.serialize(201, presentVerification(deps, result.row)),
        )
      : claimReleaseStep(item.claim);
  tx.send(step.statement, step.values);
  return result;
}

async function startOne(plan: StartPlan, item: StartItem): Promise<StartResult> {
  const { state, nowMs } = plan;
  const phone = state.phoneOf(item);
  const newest = phone.newest;
  const pending = newest && statusAt(newest, nowMs) === "pending" ? newest : null;
  const withheld = whyWithheld(plan, item, pending);
  if (withheld !== null) return withheld;
  const judgement = judgeItem(plan, item, pending, phone.sentAtMs);
  if (!judgement.allowed) return block(plan, item, judgement);
  const decisionId = plan.deps.ids.makeAt(nowMs);
  const row = pending
    ? { ...pending, sends: pending.sends + 1, decision_id: decisionId }
    : newRow(plan, item, decisionId);
  const text = await composeCode(plan.deps, item, row, plan.places);
  const { composed } = text;
  if (composed) plan.composed.push(composed);
  if ("kind" in text) return text;
  decide(plan, item, judgement, decisionId, row.id);
  keep(plan, item, row, phone, text);
  const handOver = composed?.carrier ? { row: composed.row, carrier: composed.carrier } : null;
  const waiting = handOver === null && !text.isSent ? (composed?.row ?? null) : null;
  return { kind: "started", row, handOver, waiting };
}

/** What keeps a text from being judged at all, in the order in which it is told. */
function whyWithheld(
  plan: StartPlan,
  item: StartItem,
  pending: VerificationRow | null,
): StartRefusal | UnknownSender | null {
  const { state, nowMs } = plan;
  const from = pending?.from_number ?? null;
  if (from !== null && !item.fitSenders.includes(from)) return { kind: "unknown_sender", from };
  const unpaid = pending ? null : whyNotPaid(plan, item);
  if (unpaid !== null) return { kind: unpaid };
  const wait =
    secondsToWait(state.phoneOf(item), pending, nowMs) ?? secondsToWaitAsTarget(plan, item);
  if (wait !== null) return { kind: "limited", retryAfterSeconds: wait };
  return isStopped(state, item, pending) ? { kind: "opted_out" } : null;
}

/** An account's own numbers are bound by consent, the service's by a STOP to themselves. */
function isStopped(state: StartState, item: StartItem, pending: VerificationRow | null): boolean {
  const isOwn = pending ? pending.from_number !== null : item.own !== null;
  if (!isOwn) return state.stopped.has(item.phone);
  return state.isOptedOut(item, pending ? pending.customer_id : item.customerId);
}

/** A phone is not texted by everybody at once, however few texts each one asks for. */
function secondsToWaitAsTarget({ deps, state, nowMs }: StartPlan, item: StartItem): number | null {
  const sentAtMs = state.targets.get(item.phone);
  if (!item.leaves || !sentAtMs) return null;
  return secondsToWaitOfAll(sentAtMs, deps.config.verifyRules.phone_per_hour_all_accounts, nowMs);
}

/** A start is weighed as if it succeeded: the price of that must be there, and within the limit. */
function whyNotPaid({ state }: StartPlan, item: StartItem): "no_credit" | "over_limit" | null {
  if (item.mode === "test") return null;
  const money = state.money.get(item.account.id);
  if (!money) return "no_credit";
  if (money.freeVerifications > 0) return null;
  if (money.roomMicros !== null && money.roomMicros < PRICE_VERIFICATION_MICROS)
    return "over_limit";
  return hasCredit(state, item) ? null : "no_credit";
}

function hasCredit(state: StartState, item: StartItem): boolean {
  return (state.money.get(item.account.id)?.availableMicros ?? 0) >= PRICE_VERIFICATION_MICROS;
}

function judgeItem(
  { deps, state, nowMs }: StartPlan,
  item: StartItem,
  pending: VerificationRow | null,
  sentAtMs: readonly number[],
): Judgement {
  const { owner } = item;
  const prefixes = [prefixOf(item.phone), exchangeOf(item.phone)];
  const asked = {
    phone: item.phone,
    country: item.country,
    lineType: item.lineType,
    ip: item.ip,
    isResend: pending !== null,
    sendsToPhoneInDay: sendsInDay(sentAtMs, nowMs).length,
    blockedPrefix: prefixes.find((prefix) => state.blocked.has(blockKey(owner, prefix))) ?? null,
    service: isPaidByService(item, pending) ? state.service : null,
    isFree: item.mode === "live" && item.leaves && !hasCredit(state, item),
  };
  return judge(asked, state.bookOf(owner), deps.config.verifyRules);
}

function block(plan: StartPlan, item: StartItem, judgement: Judgement): StartResult {
  const { deps, state, nowMs } = plan;
  const { owner } = item;
  const reason = judgement.reason ?? "destination";
  if (judgement.block !== null) {
    const key = blockKey(owner, judgement.block);
    state.blocked.add(key);
    plan.blocks.set(key, {
      account_id: owner.accountId,
      mode: owner.mode,
      prefix: judgement.block,
      rule: reason,
      created_at: new Date(nowMs).toISOString(),
      blocked_until: new Date(nowMs + deps.config.verifyRules.block_hours * HOUR_MS).toISOString(),
    });
  }
  if (reason === "service_loss") stopService(plan);
  plan.hours.add(owner, { blocked: 1 });
  decide(plan, item, judgement, deps.ids.makeAt(nowMs), null);
  emit(plan, item, blockedEvent(item.phone, item.customerId, reason));
  return { kind: "blocked", reason };
}

/** The first code too many stops the service's own numbers: an operator has to look at it. */
function stopService({ deps, tx, state, nowMs }: StartPlan): void {
  if (state.service === null || state.service.isTripped) return;
  state.service.isTripped = true;
  tripService(tx, nowMs);
  deps.log.error(
    { unanswered_today: state.service.unanswered },
    "too many codes go unanswered: the service's own numbers send no live code for 24 hours",
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
    simulated: !item.leaves,
    created_at: nowMs,
    expires_at: expiryOf(nowMs),
    approved_at: null,
    ended_at: null,
    decision_id: decisionId,
  };
}

/** Everything that follows from a text that is on its way. */
function keep(
  plan: StartPlan,
  item: StartItem,
  row: VerificationRow,
  phone: PhoneState,
  { isSent }: CodeText,
): void {
  const { state, nowMs } = plan;
  const { owner } = item;
  const isNew = row.sends === 1;
  if (isNew) phone.failures = failuresInRow(phone.failures, phone.newest, nowMs);
  phone.newest = row;
  phone.sentAtMs = [...sendsInDay(phone.sentAtMs, nowMs), nowMs];
  phone.isChanged = true;
  if (state.service && isPaidByService(item, row)) {
    state.service.unanswered += 1;
    plan.paidByService += 1;
  }
  const target = state.targets.get(item.phone);
  if (item.leaves && target) {
    state.targets.set(item.phone, [...sendsInHour(target, nowMs), nowMs]);
  }
  if (isNew || plan.made.has(row.id)) plan.made.set(row.id, row);
  else plan.again.set(row.id, row);
  const started = isNew ? 1 : 0;
  const judged = isJudged(item.phone) ? started : 0;
  count(state.bookOf(owner), keysWritten(item.phone, item.ip), nowMs, { started: judged, sent: 1 });
  plan.hours.add(owner, { started, judged, sent: isSent ? 1 : 0 });
  if (isSent) emit(plan, item, sentEvent(row));
}
