import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { toApiId } from "../../src/core/platform/ids.ts";
import {
  type HookReceiver,
  LOCAL_TARGETS,
  startHookReceiver,
} from "../../testing/hook-receiver.ts";
import { until } from "../../testing/until.ts";
import { FROM, type KillStage, killHard, openStage } from "./stage.ts";

const CLIENTS = 8;
/** A sandbox message has two events: sent, then delivered. */
const EVENTS_PER_TEXT = 2;
const ANSWER_MS_MAX = 20;
const ARRIVE_MS_MAX = 90_000;
const RETRY_MS = 50;
/** No message of this test goes to a carrier. */
const WINDOW = 1;

export interface KillPlan {
  readonly kills: number;
  /** Number of events. */
  readonly deliveries: number;
  /** Whether the test ends the leases of killed processes. Otherwise each kill costs a lease's duration. */
  readonly endLeases: boolean;
}

/**
 * Kills the server with SIGKILL during webhook deliveries to a healthy receiver. Every event must arrive, and
 * may arrive again only if a kill interrupted its attempt: received, but not yet logged.
 */
export async function killUnderDeliveries(t: TestContext, plan: KillPlan): Promise<void> {
  const receiver = await startHookReceiver(t);
  // From this count on the receiver does not respond until the kill, so that each kill hits an attempt.
  let silentFrom = Number.POSITIVE_INFINITY;
  receiver.behave("/in", (response) => {
    if (receiver.at("/in").length >= silentFrom) return;
    setTimeout(() => response.end("ok"), Math.random() * ANSWER_MS_MAX);
  });
  const stage = await openStage(t, { window: WINDOW, env: LOCAL_TARGETS });
  let program = await stage.start();
  const key = await prepare(stage, receiver.url("/in"));
  const inFlight: ReadonlySet<string>[] = [];
  const texts = Math.ceil(plan.deliveries / EVENTS_PER_TEXT);
  const share = Math.ceil(texts / plan.kills);
  for (let count = 0; count < plan.kills; count += 1) {
    const before = receiver.at("/in").length;
    const sending = sendMessages(stage, key, count * share, share);
    silentFrom = before + Math.ceil(Math.random() * share);
    await until(() => receiver.at("/in").length >= silentFrom, ARRIVE_MS_MAX);
    await killHard(program);
    silentFrom = Number.POSITIVE_INFINITY;
    await Promise.all([receiver.untilClosed(), until(() => hasEndedSessions(stage))]);
    inFlight.push(await receivedAndNotLogged(stage, receiver));
    if (plan.endLeases) await endLeases(stage);
    program = await stage.start();
    await sending;
  }
  const eventCount = plan.kills * share * EVENTS_PER_TEXT;
  await until(() => idsAt(receiver).size === eventCount, ARRIVE_MS_MAX);
  await until(async () => (await stage.rows(JOBS)).length === 0, ARRIVE_MS_MAX);
  await check(stage, receiver, inFlight);
}

const JOBS = "select 1 from webhook_jobs limit 1";

/** Whether the database has ended the killed process's sessions. Sessions of Citus itself stay. */
async function hasEndedSessions(stage: KillStage): Promise<boolean> {
  const rows = await stage.rows(
    "select 1 from pg_stat_activity where datname = current_database() and application_name = 'longwave'",
  );
  return rows.length === 0;
}

/** Creates an account with a number and one endpoint; returns its key. */
async function prepare(stage: KillStage, hookUrl: string): Promise<string> {
  const account = await stage.operator("POST", "/accounts", { name: "Killed" });
  const { key } = await stage.operator("POST", `/accounts/${account.id}/keys`, { mode: "test" });
  const post = (path: string, body: object) => postUntilAnswered(stage.url + path, key, path, body);
  await post("/v1/numbers", { phone_number: FROM });
  await post("/v1/webhooks", { url: hookUrl });
  return key;
}

async function sendMessages(
  stage: KillStage,
  key: string,
  first: number,
  count: number,
): Promise<void> {
  const waiting = Array.from({ length: count }, (_, index) => `text ${first + index}`);
  const url = `${stage.url}/v1/messages`;
  const client = async () => {
    for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
      const body = { to: "+14155552671", from: FROM, body: text };
      await postUntilAnswered(url, key, text, body);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Repeats unanswered requests with the same key, as clients do. */
async function postUntilAnswered(
  url: string,
  key: string,
  idempotencyKey: string,
  body: object,
): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "idempotency-key": idempotencyKey,
  };
  for (;;) {
    const request = { method: "POST", body: JSON.stringify(body), headers };
    const answer = await fetch(url, request).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.status === 201) return;
    await sleep(RETRY_MS);
  }
}

function idsAt(receiver: HookReceiver): Set<string> {
  return new Set(receiver.at("/in").map((one) => String(one.headers["svc-event-id"])));
}

const eventIds = async (stage: KillStage, table: string, column: string): Promise<string[]> => {
  const rows: { id: string }[] = await stage.rows(
    `select ${column} as id from ${table} order by 1`,
  );
  return rows.map((row) => toApiId("event", row.id));
};

/** Logged attempts of some events. */
async function attemptsOf(stage: KillStage, ids: ReadonlySet<string>): Promise<object[]> {
  const logged = await stage.rows(
    "select event_id, attempt, ok, status_code, error, latency_ms from webhook_deliveries order by 1, 2",
  );
  return logged.filter((one) => ids.has(toApiId("event", one.event_id)));
}

async function receivedAndNotLogged(
  stage: KillStage,
  receiver: HookReceiver,
): Promise<Set<string>> {
  const logged = new Set(await eventIds(stage, "webhook_deliveries", "event_id"));
  return new Set([...idsAt(receiver)].filter((id) => !logged.has(id)));
}

/** Ends leases early; the long version waits for their expiry. */
async function endLeases(stage: KillStage): Promise<void> {
  await stage.rows(
    "update webhook_jobs set lease_until = statement_timestamp() where leased_by is not null",
  );
}

async function check(
  stage: KillStage,
  receiver: HookReceiver,
  inFlight: readonly ReadonlySet<string>[],
): Promise<void> {
  const ids = await eventIds(stage, "events where type like 'message.%'", "id");
  const copies = new Map(ids.map((id) => [id, 0]));
  for (const { headers } of receiver.at("/in")) {
    const id = String(headers["svc-event-id"]);
    copies.set(id, (copies.get(id) ?? 0) + 1);
  }
  const missing = ids.filter((id) => copies.get(id) === 0);
  assert.deepEqual(missing, [], "events that never arrived");
  const unexplained = [...copies].filter(([id, count]) => {
    const kills = inFlight.filter((set) => set.has(id)).length;
    return count > 1 + kills;
  });
  const known = JSON.stringify(await attemptsOf(stage, new Set(unexplained.map(([id]) => id))));
  assert.equal(
    unexplained.length,
    0,
    `events that arrived again without an interrupted attempt: ${known}`,
  );
  assert.ok(
    inFlight.every((set) => set.size > 0),
    "a kill hit no attempt",
  );
  // Every completed attempt is logged, and none follows a successful one.
  assert.deepEqual(await eventIds(stage, "webhook_deliveries where ok", "event_id"), ids);
}
