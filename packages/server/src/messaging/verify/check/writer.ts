import {
  type Mode,
  PRICE_VERIFICATION_MICROS,
  VERIFICATION_MOVES,
  VERIFY_ANSWERS_AFTER_END_HOURS,
  VERIFY_CHECKS_MAX,
  type VerificationCheck,
} from "@longwave/contract";
import type { AccountRow } from "../../accounts/index.ts";
import type { Base } from "../../base.ts";
import { type Money, post, takeFreeStep } from "../../billing/index.ts";
import type { Tx } from "../../db/database.ts";
import { isUnavailable } from "../../db/failures.ts";
import { createGroup, type Group } from "../../db/group.ts";
import { appendGroup, type NewEvent } from "../../events/index.ts";
import {
  claimAnswerStep,
  claimReleaseStep,
  type IdempotencyClaim,
  takeClaims,
} from "../../idempotency/index.ts";
import { assert } from "../../platform/assert.ts";
import { codeOf, isSameCode } from "../../platform/one-time-code.ts";
import { count, keysWritten } from "../fraud/counted-keys.ts";
import { countsOwner, createCounterBook } from "../fraud/counter-book.ts";
import { countsStep, createHourBook } from "../fraud/counts.ts";
import { isJudged } from "../fraud/rules.ts";
import { countForService } from "../fraud/service-loss.ts";
import { lockNewest, writeChecks } from "../sql.ts";
import { lockAccountsOf } from "../start/state.ts";
import { approvedEvent, failedEvent } from "../verification-events.ts";
import { statusAt, type VerificationRow } from "../verification-row.ts";

/** A code that somebody typed. */
export interface CheckItem {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly phone: string;
  readonly code: string;
  readonly claim: IdempotencyClaim | null;
  readonly serialize: (status: number, body: VerificationCheck) => string;
}

/** What the check came to; null: there is nothing to check. */
export type CheckResult = VerificationCheck | null | "duplicate";
export type CheckWriter = Group<CheckItem, CheckResult>;

const ITEMS_PER_WRITE_MAX = 500;
const ITEMS_WAITING_MAX = 5_000;
const HOUR_MS = 3_600_000;

/**
 * Checks codes by groups. A group holds the locks of its accounts and of the verifications it
 * checks; it looks at codes one after the other, and no answer leaves before the count is
 * committed. So parallel guesses are guesses in a row, in whatever processes they arrive.
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

/** A verification as the checks of a group change it. */
interface Checked {
  readonly before: VerificationRow;
  row: VerificationRow;
}

interface Checking {
  readonly deps: Base;
  readonly nowMs: number;
  readonly newest: ReadonlyMap<string, Checked>;
  /** Free verifications taken so far by the group, and those that were there before. */
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
  const asked = new Map(
    items.map(({ account, mode, phone }) => {
      const of = { account_id: account.id, mode, phone };
      return [phoneKey(of), of];
    }),
  );
  const values = [shard, JSON.stringify([...asked.values()])];
  const [money, rows, isFree] = await Promise.all([
    lockAccountsOf(tx, shard, items, nowMs),
    tx.query<VerificationRow>(lockNewest, values),
    takeClaims(
      deps,
      tx,
      items.map((item) => item.claim),
    ),
  ]);
  const checking: Checking = {
    deps,
    nowMs,
    newest: new Map(rows.map((row) => [phoneKey(row), { before: row, row }])),
    free: freeOf(money),
    events: [],
  };
  const results = new Map<CheckItem, CheckResult>();
  for (const [index, item] of items.entries()) {
    results.set(item, isFree[index] ? checkOnce(checking, tx, item) : "duplicate");
  }
  await writeGroup(checking, tx, shard);
  return results;
}

function freeOf(money: ReadonlyMap<string, Money>): Map<string, { left: number; taken: number }> {
  return new Map(
    [...money].map(([accountId, row]) => [accountId, { left: row.freeVerifications, taken: 0 }]),
  );
}

function checkOnce(checking: Checking, tx: Tx, item: CheckItem): CheckResult {
  const result = checkOne(checking, item);
  if (!item.claim) return result;
  const step =
    result === null
      ? claimReleaseStep(item.claim)
      : claimAnswerStep(checking.deps, item.claim, 200, item.serialize(200, result));
  tx.send(step.statement, step.values);
  return result;
}

function checkOne(checking: Checking, item: CheckItem): VerificationCheck | null {
  const { deps, nowMs } = checking;
  const { account, mode, phone, code } = item;
  const checked = checking.newest.get(phoneKey({ account_id: account.id, mode, phone }));
  // As much work whether there is one or not: the time it takes tells nothing.
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

function approve(checking: Checking, checked: Checked): VerificationCheck {
  const { row } = checked;
  const charged = row.mode === "live" && !takeFree(checking, row.account_id);
  checked.row = {
    ...row,
    status: VERIFICATION_MOVES.right_code.to,
    attempts: row.attempts + 1,
    charged,
    approved_at: checking.nowMs,
    ended_at: checking.nowMs,
  };
  emit(checking, row, approvedEvent(row, checked.row.attempts, charged));
  return answerOf(checked.row, charged);
}

function takeFree(checking: Checking, accountId: string): boolean {
  const free = checking.free.get(accountId);
  if (!free || free.taken >= free.left) return false;
  free.taken += 1;
  return true;
}

function countWrong(checking: Checking, checked: Checked): VerificationCheck {
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

function emit(checking: Checking, row: VerificationRow, event: NewEvent): void {
  checking.events.push({ ...event, accountId: row.account_id });
}

async function writeGroup(checking: Checking, tx: Tx, shard: number): Promise<void> {
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
    const step = takeFreeStep({ shard, accountId }, taken, nowMs);
    tx.send(step.statement, step.values);
  }
  appendGroup(deps, tx, shard, checking.events);
  const answered = changed.filter(({ row }) => isAnsweredForService(row)).length;
  if (answered > 0) countForService(tx, { answered }, nowMs);
}

/** Whether the account pays from now on for a text that the service has paid for. */
function isAnsweredForService(row: VerificationRow): boolean {
  const isPaid = row.mode === "live" && !row.simulated && row.from_number === null;
  return isPaid && row.status === "approved";
}

function changeOf({ before, row }: Checked): object {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: row.id,
    attempts_before: before.attempts,
    evaluated: row.attempts - before.attempts,
    status: row.status,
    charged: row.charged,
    approved_at: iso(row.approved_at),
    ended_at: iso(row.ended_at),
  };
}

/** Counts what was approved, and bills what the allowance does not cover. */
async function writeApproved(
  { deps, nowMs }: Checking,
  tx: Tx,
  shard: number,
  approved: readonly VerificationRow[],
): Promise<void> {
  if (approved.length === 0) return;
  const hours = createHourBook();
  const books = new Map(
    approved.map((row) => {
      const owner = countsOwner(row.account_id, row.mode);
      return [owner.key, { owner, book: createCounterBook() }];
    }),
  );
  for (const row of approved) {
    const owner = countsOwner(row.account_id, row.mode);
    const book = books.get(owner.key)?.book;
    const answered = isJudged(row.phone) ? 1 : 0;
    if (book) count(book, keysWritten(row.phone, null), nowMs, { approved: answered });
    hours.add(owner, { approved: 1, answered });
    if (!row.charged) continue;
    const posted = await post(
      deps,
      tx,
      { shard, accountId: row.account_id },
      {
        kind: "verification",
        objectId: row.id,
        amountMicros: -PRICE_VERIFICATION_MICROS,
        note: row.phone,
      },
    );
    assert(posted !== null, "a verification was in the ledger before it was approved");
  }
  const counts = countsStep(shard, [...books.values()], hours, nowMs);
  tx.send(counts.statement, counts.values);
}
