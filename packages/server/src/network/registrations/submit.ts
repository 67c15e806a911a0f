import { type Mode, microsToUsd, Problem, REGISTRATION_MOVES } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { overSpendLimit, reserve, settle } from "../../account/billing/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { enqueue } from "../../core/queue/task.ts";
import { type Changer, recordRegistration } from "./audit.ts";
import type { RegistrationsDeps } from "./deps.ts";
import { historyEntry, withEntry } from "./evaluate.ts";
import { lockRegistration, requireSubmitter } from "./find.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { fileTask } from "./registry/file-task.ts";
import { decide } from "./review.ts";
import { SUBMISSIONS } from "./sql.ts";

/** Submits a registration for review. A live key pays a price; without credit nothing is stored. */
export async function submitRegistration(
  deps: RegistrationsDeps,
  tx: Tx,
  account: AccountRow,
  mode: Mode,
  apiId: string,
  changer: Changer,
): Promise<RegistrationRow> {
  const before = await lockRegistration(tx, account, apiId);
  requireSubmitter(before, mode);
  // A campaign that is approved elsewhere is neither checked, filed nor paid: the operator reads it.
  const step = before.given.campaign_id ? "claim" : "submit";
  const sources: readonly string[] = REGISTRATION_MOVES[step].from;
  if (!sources.includes(before.status)) throw notReady(before);
  const now = deps.clock.now();
  const entry = historyEntry(now, "submitted", "customer", "Submitted for review");
  const [row] = await tx.query<RegistrationRow>(SUBMISSIONS[step], [
    account.shard,
    account.id,
    before.id,
    JSON.stringify(withEntry(before.history, entry)),
    new Date(now),
    mode,
  ]);
  const submitted = expect(row, "a locked registration is gone");
  await recordRegistration(deps, tx, submitted, "registration.submitted", changer, {
    submissions: submitted.submissions,
  });
  if (mode === "test" && deps.config.sandboxReview === "auto") {
    return await decideByItself(deps, tx, submitted);
  }
  const isFiled = mode === "live" && step === "submit";
  if (isFiled && deps.registry?.kinds.includes(before.kind)) await fileLater(deps, tx, submitted);
  await deps.followSenders(tx, account);
  // Money last: charging numbers locks numbers before the balance, so the order here must be the
  // same.
  if (isFiled) await pay(deps, tx, before);
  return submitted;
}

function notReady({ status }: RegistrationRow): Problem {
  const next =
    status === "draft" || status === "checks_failed" || status === "rejected"
      ? "Call recheck until nothing fails."
      : "It was submitted already.";
  return new Problem(
    "invalid_state",
    `The registration is ${status}; only a ready one can be submitted. ${next}`,
  );
}

async function pay(deps: RegistrationsDeps, tx: Tx, row: RegistrationRow): Promise<void> {
  const price = deps.prices.registrationPriceOf(row.kind);
  if (price === 0) return;
  const owner = { shard: row.shard, accountId: row.account_id };
  const now = deps.clock.now();
  const refusal = await reserve(tx, owner, price, now);
  if (refusal === "spend_limit_reached") throw overSpendLimit("Submitting this registration", now);
  if (refusal !== null) {
    throw new Problem(
      "insufficient_credits",
      `Submitting a registration costs ${microsToUsd(price)} USD, and the balance does not cover it. Ask the operator for credit; nothing was submitted.`,
    );
  }
  await settle(deps, tx, owner, {
    kind: "registration",
    objectId: row.id,
    period: String(row.submissions + 1),
    amountMicros: -price,
    note: row.business_name,
  });
}

async function fileLater(deps: RegistrationsDeps, tx: Tx, row: RegistrationRow): Promise<void> {
  const now = deps.clock.now();
  const { shard, account_id, id: registration_id, submissions: submission } = row;
  const payload = { shard, account_id, registration_id, submission, submitted_at_ms: now };
  await enqueue(deps, tx, { shard, accountId: account_id }, fileTask, payload, now);
}

/** Without an operator (demo): approves at once, unless the name asks for a rejection. */
function decideByItself(
  deps: RegistrationsDeps,
  tx: Tx,
  row: RegistrationRow,
): Promise<RegistrationRow> {
  const actor = { type: "system", id: null, name: "sandbox review" } as const;
  const isRejected = /reject me/i.test(row.business_name);
  return decide(deps, tx, row, {
    decision: isRejected ? "reject" : "approve",
    code: "carrier.rejected",
    note: null,
    actor: "system",
    changer: { actor, ip: null },
  });
}
