import assert from "node:assert/strict";
import type { FailureCode } from "@longwave/contract";
import { money } from "./live-batches.ts";
import { BODY, type Kind, type Reason, type WaitingStage } from "./waiting-messages.ts";

interface MessageRow {
  readonly status: string;
  readonly failure_code: string | null;
  readonly price_micros: number;
  readonly billing: string;
  readonly attempts: number;
}

export function messagesOf({ kit }: WaitingStage): Promise<MessageRow[]> {
  return kit.rows(
    `select status, failure_code, price_micros, billing, attempts from messages
      where account_id = $1 and direction = 'outbound' and not auto_reply order by id`,
    [kit.account.id],
  );
}

export async function failuresTold({ kit }: WaitingStage): Promise<string[]> {
  const rows = await kit.rows(
    "select data from events where account_id = $1 and type = 'message.failed' order by seq",
    [kit.account.id],
  );
  return rows.map((row) => row.data.failure.code);
}

/** Submits that carry the message of the test; an automatic reply to STOP is none. */
export function submits({ carrier, to }: WaitingStage): number {
  const own = carrier.submitted.filter((text) => text.to === to);
  return own.filter(({ body }) => body === BODY || /code is/.test(body)).length;
}

export async function batchOf({ kit }: WaitingStage) {
  const [batch] = await kit.rows(
    `select b.status, b.suspended, r.state, r.failure_code from batches b
       join batch_recipients r on r.shard = b.shard and r.batch_id = b.id where b.account_id = $1`,
    [kit.account.id],
  );
  return batch;
}

export async function assertNothingHeld({ kit }: WaitingStage, before: { texts_used: number }) {
  const after = await money(kit);
  assert.equal(after.reserved_micros, 0, "no money stays reserved");
  assert.equal(after.texts_used, before.texts_used, "the free message is given back");
}

export async function assertHeldUntilUndone(stage: WaitingStage, reason: Reason, waited: number) {
  const suspended = await batchOf(stage);
  assert.deepEqual([suspended.suspended, suspended.failure_code], [true, null]);
  assert.ok(["waiting", "retrying"].includes(suspended.state), suspended.state);
  assert.deepEqual(await failuresTold(stage), []);
  await reason.undo?.(stage);
  await stage.kit.advance(600);
  assert.equal(submits(stage), waited + 1, "it goes on once the account may send");
  const sent = await batchOf(stage);
  assert.deepEqual([sent.status, sent.suspended, sent.state], ["complete", false, "sent"]);
  await money(stage.kit);
}

export async function assertFailed(stage: WaitingStage, kind: Kind, failure: FailureCode) {
  const { kit } = stage;
  const isOptedOut = failure === "recipient_opted_out";
  const messages = await messagesOf(stage);
  if (kind.of?.startsWith("batch")) {
    const { status, state, failure_code } = await batchOf(stage);
    assert.deepEqual(
      [status, state, failure_code],
      ["complete", isOptedOut || failure === "opt_in_required" ? "skipped" : "failed", failure],
    );
  }
  if (kind.of === "occurrence") {
    const [occurrence] = await kit.rows(
      "select status, reason, failure_code, message_id from schedule_occurrences where account_id = $1",
      [kit.account.id],
    );
    const [schedule] = await kit.rows(
      "select status, pause_reason from schedules where account_id = $1",
      [kit.account.id],
    );
    // The next occurrence may find an opt-in.
    const isPaused = failure !== "opt_in_required";
    const reason = isOptedOut ? "recipient_opted_out" : "sender_unavailable";
    assert.equal(schedule.status, isPaused ? "paused" : "active");
    assert.equal(schedule.pause_reason, isPaused ? reason : null);
    assert.equal(occurrence.status, isOptedOut ? "skipped" : "failed");
    assert.equal(occurrence.failure_code, isOptedOut ? null : failure);
    assert.equal(occurrence.message_id === null, isOptedOut);
  }
  const isRunEndedBefore = isOptedOut && kind.name.startsWith("a step");
  const makesNone =
    kind.of === "batch_row" || (kind.of === "occurrence" && isOptedOut) || isRunEndedBefore;
  if (kind.name.startsWith("a step")) {
    const [run] = await kit.rows(
      "select status, reason, log from automation_runs where account_id = $1",
      [kit.account.id],
    );
    assert.deepEqual([run.status, run.reason], ["failed", failure]);
    assert.equal(run.log.at(-1).message_id === null, makesNone);
  }
  if (kind.name === "a scheduled message") {
    const [scheduled] = await kit.rows(
      "select status, failure_code, message_id from scheduled_messages where account_id = $1",
      [kit.account.id],
    );
    assert.deepEqual([scheduled.status, scheduled.failure_code], ["failed", failure]);
    assert.notEqual(scheduled.message_id, null);
  }
  assert.equal(messages.length, makesNone ? 0 : 1);
  for (const message of messages) {
    assert.equal(message.status, "failed");
    assert.equal(message.failure_code, failure);
    assert.equal(message.price_micros, 0);
    assert.ok(["none", "released"].includes(message.billing), message.billing);
  }
  const expectedFailures = makesNone || kind.of === "service_code" ? [] : [failure];
  assert.deepEqual(await failuresTold(stage), expectedFailures, "message.failed is emitted once");
}
