import { SUBMIT_ATTEMPT_MOVES } from "@longwave/contract";
import { type Static, Type } from "typebox";
import { readAccounts } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import { sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { defineTask, jobStep } from "../../core/queue/task.ts";
import type { MessageRow } from "../messages/index.ts";
import {
  acceptIn,
  countRealSend,
  leaveRefusalOf,
  type OutboundDeps,
  prepare,
  type Submission,
  sourceNumberOf,
  submissionsOf,
  submitAll,
  txWithSlots,
  type WindowSlots,
} from "../outbound/index.ts";
import { addServiceCounts, readServiceLossToday } from "./fraud/service-loss.ts";
import { lockTargets, writeTargets } from "./sql.ts";
import { secondsToWaitAcrossAccounts, sendsInHour } from "./start/send-limits.ts";
import { lockAccountsOf, SERVICE_SHARD } from "./start/state.ts";
import { statusAt, type VerificationRow } from "./verification-row.ts";
import { hasStoppedService } from "./verified-number-code.ts";

const Payload = Type.Object({
  shard: Type.Integer(),
  account_id: Type.String(),
  message_id: Type.String(),
});

/** Runs that wait for a slot at another carrier; the first code stays the only one after them. */
const RUNS_MAX = 4;

type FirstCode = Pick<
  MessageRow,
  | "id"
  | "mode"
  | "from_number"
  | "to_number"
  | "from_service"
  | "body"
  | "carrier"
  | "status"
  | "verification_id"
> &
  Pick<VerificationRow, "attempts" | "sends" | "expires_at"> & {
    readonly verification_status: VerificationRow["status"];
    /** The answer of the first code was lost, and it left once more already. */
    readonly is_resent: boolean;
  };

/** Fields of a code and its verification. */
const FIRST_CODE = `select m.id, m.mode, m.from_number, m.to_number, m.from_service, m.body, m.carrier, m.status,
          m.verification_id,
          v.status as verification_status, v.attempts, v.sends, v.expires_at,
          exists (select 1 from submit_attempts s where s.shard = $1 and s.message_id = m.id
                   and s.outcome = ${sqlLiteral(SUBMIT_ATTEMPT_MOVES.resent.to)}) as is_resent
     from messages m
     join verifications v on v.shard = $1 and v.id = m.verification_id
    where m.shard = $1 and m.id = $2 and m.account_id = $3`;

const readFirstCode = statement("read_first_code", FIRST_CODE);

/** Locks a code and its verification, so that no receipt and no check comes in between. */
const lockFirstCode = statement("lock_first_code", `${FIRST_CODE} for update of m, v`);

/**
 * Counts the second code, and marks it as one that is not sent again when its answer is lost. Attempt 0
 * stands for the first code.
 */
const markSecondCode = statement(
  "mark_second_code",
  `with counted as (
     update verifications set sends = sends + 1 where shard = $1 and id = $2
   )
   insert into submit_attempts
     (shard, account_id, message_id, attempt, carrier, outcome, submitted_at, answered_at)
   values ($1, $3, $4, 0, $5, ${sqlLiteral(SUBMIT_ATTEMPT_MOVES.resent.to)}, $6, $6)`,
);

/**
 * Sends a code once more over another carrier, when neither its receipt nor a check came in time. The
 * code is the same, so that either message serves. Only codes from the service's own numbers do so.
 */
export const secondCodeTask = defineTask<typeof Payload, OutboundDeps>({
  name: "verify.second_code",
  payload: Payload,
  retryDelaysSeconds: [2, 5, 10, 20],
  timeoutMs: 30_000,
  async run(deps, payload, _signal, { attempts }) {
    const made = await txWithSlots(deps, (tx, slots) => makeSecondCode(deps, tx, payload, slots));
    if (made === "no_slot" && attempts < RUNS_MAX - 1) return { retry: "no slot elsewhere" };
    if (typeof made === "object") await submitAll(deps, [made]);
    return "done";
  },
});

/** Steps that plan the second code of codes that a carrier has just accepted. */
export function secondCodeSteps(
  deps: Pick<Base, "clock" | "ids" | "config">,
  shard: number,
  accepted: readonly Pick<MessageRow, "id" | "account_id" | "from_service" | "simulated">[],
): Step[] {
  const waitMs = deps.config.secondCodeSeconds * 1_000;
  if (waitMs === 0) return [];
  return accepted
    .filter((row) => row.from_service && !row.simulated)
    .map(({ id, account_id }) => {
      const owner = { shard, accountId: account_id };
      const payload = { shard, account_id, message_id: id };
      return jobStep(deps, owner, secondCodeTask, payload, deps.clock.now() + waitMs);
    });
}

async function makeSecondCode(
  deps: OutboundDeps,
  tx: Tx,
  { shard, account_id, message_id }: Static<typeof Payload>,
  slots: WindowSlots,
): Promise<Submission | "no_slot" | "not_needed"> {
  const key = [shard, message_id, account_id];
  const [unlocked] = await tx.query<FirstCode>(readFirstCode, key);
  if (!unlocked || !(await isNeeded(deps, tx, unlocked))) return "not_needed";
  // Locks account, phone and verification in the order of starts.
  const nowMs = deps.clock.now();
  await lockAccountsOf(tx, shard, [{ account: { id: account_id } }], nowMs);
  const sentAtMs = await roomFor(deps, tx, unlocked, nowMs);
  if (sentAtMs === null) return "not_needed";
  const [first] = await tx.query<FirstCode>(lockFirstCode, key);
  if (!first || !(await isNeeded(deps, tx, first))) return "not_needed";
  const account = expect(
    (await readAccounts(tx, [account_id])).get(account_id),
    "a code has no account",
  );
  const refusal = await leaveRefusalOf(deps, tx, shard, {
    account,
    mode: first.mode,
    from: first.from_number,
    to: first.to_number,
    customerId: null,
    isFromService: true,
    repliedAtMs: null,
  });
  if (refusal !== null) return "not_needed";
  const source = sourceNumberOf(deps, first);
  if (!deps.carriers.hasOther(source, first.to_number, first.carrier)) return "not_needed";
  const carrier = slots.reserve(source, first.to_number, first.carrier);
  if (carrier === null || carrier.name === first.carrier) {
    slots.releaseAll();
    return "no_slot";
  }
  if (!(await countRealSend(deps, { mode: first.mode, account }))) {
    slots.releaseAll();
    return "not_needed";
  }
  const request = {
    account,
    mode: first.mode,
    from: first.from_number,
    to: first.to_number,
    body: first.body,
    customerId: null,
    poolId: null,
    verificationId: first.verification_id,
    expiresAtMs: first.expires_at,
    fromService: true,
    usesRealCarrier: true,
  };
  const message = await prepare(deps, request, { ...slots, reserve: () => carrier });
  const [submission] = submissionsOf([message], await acceptIn(deps, tx, shard, [message]), slots);
  if (!submission) return "not_needed";
  const now = new Date(nowMs);
  const values = [shard, first.verification_id, account_id, message.row.id, first.carrier, now];
  await tx.query(markSecondCode, values);
  const targets = [{ phone: first.to_number, sent_at_ms: [...sentAtMs, nowMs] }];
  tx.send(writeTargets, [SERVICE_SHARD, JSON.stringify(targets)]);
  if (first.mode === "live") addServiceCounts(tx, { sent: 1 }, nowMs);
  return submission;
}

/**
 * Times of this hour's codes to the phone over all accounts, locked; null when the phone or the service may send no
 * further one.
 */
async function roomFor(
  deps: OutboundDeps,
  tx: Tx,
  { mode, to_number: phone }: FirstCode,
  nowMs: number,
): Promise<readonly number[] | null> {
  const { verifyRules } = deps.config;
  const [target] = await tx.query<{ sent_at_ms: number[] }>(lockTargets, [
    SERVICE_SHARD,
    [phone],
    new Date(nowMs),
  ]);
  const sentAtMs = sendsInHour(target?.sent_at_ms ?? [], nowMs);
  const perHour = verifyRules.phone_per_hour_all_accounts;
  if (secondsToWaitAcrossAccounts(sentAtMs, perHour, nowMs) !== null) return null;
  if (mode === "test") return sentAtMs;
  const { unanswered, isTripped } = await readServiceLossToday(tx, nowMs);
  return isTripped || unanswered >= verifyRules.service_unanswered_per_day ? null : sentAtMs;
}

/** No receipt, no check, no resend by the person, no STOP, and time left. */
async function isNeeded(deps: OutboundDeps, tx: Tx, first: FirstCode): Promise<boolean> {
  const { verification_status: status, attempts, sends, expires_at } = first;
  const isPending = statusAt({ status, expires_at }, deps.clock.now()) === "pending";
  const isWaiting = first.status === "sent" && !first.is_resent;
  if (!isWaiting || !isPending || attempts > 0 || sends > 1) return false;
  return !(await hasStoppedService(tx, first.to_number));
}
