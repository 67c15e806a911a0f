import {
  type Mode,
  VERIFICATION_MOVES,
  VERIFY_ANSWERS_AFTER_END_HOURS,
  VERIFY_CHECKS_MAX,
  type VerificationCheck,
} from "@longwave/contract";
import type { AccountRow } from "../../../account/accounts/index.ts";
import { type Money, post, takeFreeVerificationsStep } from "../../../account/billing/index.ts";
import type { Base } from "../../../core/base.ts";
import type { Tx } from "../../../core/db/driver/database.ts";
import { isUnavailable } from "../../../core/db/driver/failures.ts";
import { createGroup, type Group } from "../../../core/db/driver/group.ts";
import { assert } from "../../../core/platform/assert.ts";
import { codeOf, isSameCode } from "../../../core/platform/one-time-code.ts";
import { appendGroup, type NewEvent } from "../../../events/log/index.ts";
import { endClaim, type IdempotencyClaim, takeClaims } from "../../../http/idempotency/index.ts";
import { addToCounters, counterKeysOf } from "../fraud/counter-keys.ts";
import { countsStep, createHourlyCounts } from "../fraud/hourly-counts.ts";
import { isScored } from "../fraud/rules.ts";
import { addServiceCounts } from "../fraud/service-loss.ts";
import { countsOwner, createVelocityCounters } from "../fraud/velocity-counters.ts";
import { verificationPrice } from "../price.ts";
import { lockNewest, writeChecks } from "../sql.ts";
import { lockAccountsOf } from "../start/state.ts";
import { approvedEvent, failedEvent } from "../verification-events.ts";
import { statusAt, type VerificationRow } from "../verification-row.ts";

/** One POST /verify/check. */
export interface CheckItem {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly phone: string;
  readonly code: string;
  readonly claim: IdempotencyClaim | null;
  readonly serialize: (status: number, body: VerificationCheck) => string;
}

/** Outcome of a check; null: the phone has no verification that can still be checked. */
export type CheckResult = VerificationCheck | null | "duplicate";
export type CheckWriter = Group<CheckItem, CheckResult>;

const ITEMS_PER_WRITE_MAX = 500;
const ITEMS_WAITING_MAX = 5_000;
const HOUR_MS = 3_600_000;

/**
 * Checks codes in groups. A group locks its accounts and the verifications it checks, compares
 * codes one after the other, and answers after the attempt counts are committed. Parallel guesses
 * are therefore serialised across all processes.
 */
export function createCheckWriter(deps: Base): CheckWriter {
  return createGroup<CheckItem, CheckResult>({
    meter: deps.metrics.group("verification_checks"),
    itemsPerWriteMax: ITEMS_PER_WRITE_MAX,
    itemsWaitingMax: ITEMS_WAITING_MAX,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const results = new Map<CheckItem, CheckResult>();
      for (const shard of new Set(items.map((item) => item.account.shard))) {
        const group = items.filter((item) => item.account.shard === shard);
        const checked = await deps.db.tx((tx) => checkGroup(deps, tx, shard, group), "groups");
        for (const [item, result] of checked) results.set(item, result);
      }
      return items.map((item) => results.get(item) ?? null);
    },
  });
}

/** A verification before the group and after the checks so far. */
interface CheckedVerification {
  readonly before: VerificationRow;
  row: VerificationRow;
}

interface CheckGroup {
  readonly deps: Base;
  readonly nowMs: number;
  readonly newest: ReadonlyMap<string, CheckedVerification>;
  /** Free verifications by account: `left` before the group, `taken` by the group so far. */
  readonly free: Map<string, { left: number; taken: number }>;
  readonly events: (NewEvent & { readonly accountId: string })[];
}

const phoneKey = (of: { account_id: string; mode: Mode; phone: string }) =>
  `${of.account_id} ${of.mode} ${of.phone}`;

async function checkGroup(
  deps: Base,
  tx: Tx,
  shard: number,
  items: readonly CheckItem[],
): Promise<Map<CheckItem, CheckResult>> {
  const nowMs = deps.clock.now();
  const phoneKeys = new Map(
    items.map(({ account, mode, phone }) => {
      const of = { account_id: account.id, mode, phone };
      return [phoneKey(of), of];
    }),
  );
  const values = [shard, JSON.stringify([...phoneKeys.values()])];
  const [money, rows, isFirst] = await Promise.all([
    lockAccountsOf(tx, shard, items, nowMs),
    tx.query<VerificationRow>(lockNewest, values),
    takeClaims(deps, tx, items),
  ]);
  const checking: CheckGroup = {
    deps,
    nowMs,
    newest: new Map(rows.map((row) => [phoneKey(row), { before: row, row }])),
    free: freeOf(money),
    events: [],
  };
  const results = new Map<CheckItem, CheckResult>();
  for (const [index, item] of items.entries()) {
    results.set(item, isFirst[index] ? checkOnce(checking, tx, item) : "duplicate");
  }
  await writeGroup(checking, tx, shard);
  return results;
}

function freeOf(money: ReadonlyMap<string, Money>): Map<string, { left: number; taken: number }> {
  return new Map(
    [...money].map(([accountId, row]) => [accountId, { left: row.freeVerifications, taken: 0 }]),
  );
}

function checkOnce(checking: CheckGroup, tx: Tx, item: CheckItem): CheckResult {
  const result = checkOne(checking, item);
  if (!item.claim) return result;
  const answer = result && { status: 200, text: item.serialize(200, result) };
  tx.send(endClaim(checking.deps, item.claim, answer));
  return result;
}

function checkOne(checking: CheckGroup, item: CheckItem): VerificationCheck | null {
  const { deps, nowMs } = checking;
  const { account, mode, phone, code } = item;
  const checked = checking.newest.get(phoneKey({ account_id: account.id, mode, phone }));
  // Compare a code even without a verification, so that timing does not reveal whether one exists.
  const isRight = isSameCode(codeOf(deps.secrets, checked?.row.id ?? account.id), code);
  if (!checked || checked.row.status === "approved") return null;
  const { row } = checked;
  if (row.status === "pending" && statusAt(row, nowMs) === "pending") {
    return isRight ? approve(checking, checked) : countWrong(checking, checked);
  }
  if (row.status === "pending") {
    checked.row = { ...row, status: VERIFICATION_MOVES.checked_late.to, ended_at: row.expires_at };
    emit(checking, row, failedEvent(row, "checked_late", row.attempts));
  }
  const endedAt = checked.row.ended_at ?? row.expires_at;
  if (endedAt + VERIFY_ANSWERS_AFTER_END_HOURS * HOUR_MS <= nowMs) return null;
  return answerOf(checked.row, false);
}

function approve(checking: CheckGroup, checked: CheckedVerification): VerificationCheck {
  const { row } = checked;
  const price = row.mode === "live" ? verificationPrice(checking.deps, row.phone) : 0;
  const charged = price > 0 && !takeFree(checking, row.account_id);
  checked.row = {
    ...row,
    status: VERIFICATION_MOVES.right_code.to,
    attempts: row.attempts + 1,
    charged,
    price_micros: charged ? price : 0,
    approved_at: checking.nowMs,
    ended_at: checking.nowMs,
  };
  emit(checking, row, approvedEvent(row, checked.row.attempts, charged));
  return answerOf(checked.row, charged);
}

function takeFree(checking: CheckGroup, accountId: string): boolean {
  const free = checking.free.get(accountId);
  if (!free || free.taken >= free.left) return false;
  free.taken += 1;
  return true;
}

function countWrong(checking: CheckGroup, checked: CheckedVerification): VerificationCheck {
  const { row } = checked;
  const attempts = row.attempts + 1;
  const isLast = attempts >= VERIFY_CHECKS_MAX;
  const on = isLast ? "last_wrong_code" : "wrong_code";
  const status = VERIFICATION_MOVES[on].to;
  checked.row = { ...row, attempts, status, ended_at: isLast ? checking.nowMs : null };
  emit(checking, row, failedEvent(row, on, attempts));
  return answerOf(checked.row, false);
}

function answerOf(row: VerificationRow, charged: boolean): VerificationCheck {
  const { status, attempts } = row;
  return { verified: status === "approved", status, attempts, charged };
}

function emit(checking: CheckGroup, row: VerificationRow, event: NewEvent): void {
  checking.events.push({ ...event, accountId: row.account_id });
}

async function writeGroup(checking: CheckGroup, tx: Tx, shard: number): Promise<void> {
  const { deps, nowMs } = checking;
  const changed = [...checking.newest.values()].filter(({ before, row }) => row !== before);
  if (changed.length === 0) return;
  const ids = changed.map(({ row }) => row.id);
  tx.send(writeChecks, [shard, JSON.stringify(changed.map(changeOf)), changed.length, ids]);
  await writeApproved(
    checking,
    tx,
    shard,
    changed.map(({ row }) => row).filter((row) => row.status === "approved"),
  );
  for (const [accountId, { taken }] of checking.free) {
    if (taken === 0) continue;
    const step = takeFreeVerificationsStep({ shard, accountId }, taken, nowMs);
    tx.send(step.statement, step.values);
  }
  appendGroup(deps, tx, shard, checking.events);
  const answered = changed.filter(({ row }) => isAnsweredForService(row)).length;
  if (answered > 0) addServiceCounts(tx, { answered }, nowMs);
}

/** Whether this approval moves the cost of a code from the service to the account. */
function isAnsweredForService(row: VerificationRow): boolean {
  const isPaid = row.mode === "live" && !row.simulated && row.from_number === null;
  return isPaid && row.status === "approved";
}

function changeOf({ before, row }: CheckedVerification): object {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: row.id,
    attempts_before: before.attempts,
    evaluated: row.attempts - before.attempts,
    status: row.status,
    charged: row.charged,
    price_micros: row.price_micros,
    approved_at: iso(row.approved_at),
    ended_at: iso(row.ended_at),
  };
}

/** Counts approvals and charges those that the monthly allowance does not cover. */
async function writeApproved(
  { deps, nowMs }: CheckGroup,
  tx: Tx,
  shard: number,
  approved: readonly VerificationRow[],
): Promise<void> {
  if (approved.length === 0) return;
  const hours = createHourlyCounts();
  const ownerCounters = new Map(
    approved.map((row) => {
      const owner = countsOwner(row.account_id, row.mode);
      return [owner.key, { owner, counters: createVelocityCounters() }];
    }),
  );
  for (const row of approved) {
    const owner = countsOwner(row.account_id, row.mode);
    const counters = ownerCounters.get(owner.key)?.counters;
    const answered = isScored(row.phone) ? 1 : 0;
    if (counters)
      addToCounters(counters, counterKeysOf(row.phone, null), nowMs, { approved: answered });
    hours.add(owner, { approved: 1, answered });
    if (!row.charged) continue;
    const posted = await post(
      deps,
      tx,
      { shard, accountId: row.account_id },
      {
        kind: "verification",
        objectId: row.id,
        amountMicros: -row.price_micros,
        note: row.phone,
      },
    );
    assert(posted !== null, "the ledger already has an entry for this verification");
  }
  const countsStatement = countsStep(shard, [...ownerCounters.values()], hours, nowMs);
  tx.send(countsStatement.statement, countsStatement.values);
}
