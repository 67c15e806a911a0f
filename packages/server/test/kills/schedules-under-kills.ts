import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { phones } from "../../testing/batches.ts";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { startProcesses, untilJournal, WINDOW } from "./batch-under-kills.ts";
import { FROM, type KillStage, openStage } from "./stage.ts";

const MINUTE_SECONDS = 60;
/** Longer than any unknown outcome stays open. */
const SETTLED_SECONDS = 1_200;
const RETRY_MS = 100;

export interface SchedulesPlan {
  readonly schedules: number;
  readonly kills: number;
}

/**
 * Schedules send every minute while the worker is killed during each minute's messages and the clock
 * advances. The simulator's journal is the reference: no occurrence is sent twice, and each has a message or
 * a recorded outcome.
 */
export async function schedulesUnderKills(t: TestContext, plan: SchedulesPlan): Promise<void> {
  const stage = await openStage(t, { window: WINDOW, env: { LONGWAVE_TEST_CLOCK: "1" } });
  const processes = await startProcesses(stage);
  const key = await stage.prepare();
  await processes.start("worker");
  const ids: string[] = [];
  for (const to of phones(plan.schedules)) ids.push(await makeSchedule(stage, key, to));
  for (let kill = 0; kill < plan.kills; kill += 1) {
    const before = await stage.submitCount();
    const moved = advance(stage, MINUTE_SECONDS);
    await untilJournal(stage, before + plan.schedules / 3);
    await processes.killAndStart("worker");
    await moved;
  }
  for (const id of ids) await post(stage, key, `/schedules/${id}/pause`);
  await advance(stage, SETTLED_SECONDS);
  await check(stage, plan);
  t.diagnostic(`${plan.kills} kills, ${plan.schedules} schedules`);
}

async function makeSchedule(stage: KillStage, key: string, to: string): Promise<string> {
  const rule = { cron: "* * * * *", timezone: "UTC" };
  return (await post(stage, key, "/schedules", { to, from: FROM, body: "Again", ...rule })).id;
}

async function post(stage: KillStage, key: string, path: string, body: object = {}) {
  const answer = await fetch(`${stage.url}/v1${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  assert.ok(answer.ok, await answer.clone().text());
  return answer.json() as Promise<{ id: string }>;
}

/** Advances the clock; after an interruption by a kill, waits for due work again. */
async function advance(stage: KillStage, seconds: number): Promise<void> {
  let left = seconds;
  for (;;) {
    try {
      await stage.operator("POST", "/clock/advance", { seconds: left });
      return;
    } catch {
      left = 1;
      await sleep(RETRY_MS);
    }
  }
}

async function check(stage: KillStage, plan: SchedulesPlan): Promise<void> {
  const left = new Map<string, number>();
  for (const { messageId, answer } of await stage.submits()) {
    if (answer === "accept") left.set(messageId, (left.get(messageId) ?? 0) + 1);
  }
  const twice = [...left].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], "messages submitted twice");
  const occurrences = await stage.rows(
    "select schedule_id, occurrence_at, status, failure_code, message_id from schedule_occurrences order by 1, 2",
  );
  const texts = await stage.rows(
    "select id, schedule_id, status, failure_code from messages where direction = 'outbound'",
  );
  const ofOccurrence = new Set(occurrences.map((row) => row.message_id));
  assert.equal(ofOccurrence.size, occurrences.length, "two occurrences share a message");
  assert.deepEqual(
    texts.filter((row) => !ofOccurrence.has(row.id)),
    [],
    "messages without an occurrence",
  );
  assert.equal(texts.length, occurrences.length);
  const lost = texts.filter((row) => !left.has(row.id) && row.failure_code !== "outcome_unknown");
  assert.deepEqual(lost, [], "stored messages that were never submitted");
  const times = new Map<string, number[]>();
  for (const row of occurrences) {
    const of = times.get(row.schedule_id) ?? [];
    times.set(row.schedule_id, [...of, row.occurrence_at.getTime()]);
  }
  assert.equal(times.size, plan.schedules);
  for (const of of times.values()) {
    assert.ok(of.length >= plan.kills, `${of.length} occurrences in ${plan.kills} minutes`);
    const gaps = of.slice(1).map((at, index) => at - (of[index] ?? at));
    assert.ok(
      gaps.every((gap) => gap === MINUTE_SECONDS * 1_000),
      "an occurrence is missing",
    );
  }
  await assertMoneyAddsUp(stage.rows);
}
