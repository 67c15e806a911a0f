import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { phones } from "../../testing/batches.ts";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../testing/message-invariants.ts";
import { until } from "../../testing/until.ts";
import { startProcesses, untilJournal, WINDOW } from "./batch-under-kills.ts";
import { FROM, type KillStage, openStage } from "./stage.ts";

const CLIENTS = 8;
const RETRY_MS = 50;
const IMPORT_ROWS_MAX = 500;
const ENDED_MS_MAX = 180_000;
/** Longer than any unknown outcome stays open. */
const SETTLED_SECONDS = 3_600;
const TEXTS_PER_RUN = 2;

export interface RunsPlan {
  readonly contacts: number;
  readonly kills: number;
}

/**
 * Tracks each contact once while the API and the worker are killed alternately. Every run sends, waits, tags and
 * sends again. The simulator's journal is the reference: no step acts twice, none is lost, and events and
 * runs have no duplicates.
 */
export async function runsUnderKills(t: TestContext, plan: RunsPlan): Promise<void> {
  const stage = await openStage(t, { window: WINDOW, env: { LONGWAVE_TEST_CLOCK: "1" } });
  const processes = await startProcesses(stage);
  await processes.start("worker");
  const key = await stage.prepare();
  const to = phones(plan.contacts);
  await importContacts(stage, key, to);
  const send = (body: string) => ({ type: "send", from: FROM, body });
  await call(stage, key, "/automations", {
    name: "Killed",
    trigger: { event: "joined" },
    reentry: "any",
    steps: [
      send("first {{properties.n}}"),
      { type: "wait", seconds: 1 },
      { type: "add_tags", tags: ["seen"] },
      send("second {{properties.n}}"),
    ],
  });
  const tracking = trackAll(stage, key, to);
  for (let kill = 0; kill < plan.kills; kill += 1) {
    const share = (kill + 1) / (plan.kills + 1);
    await untilJournal(stage, share * plan.contacts * TEXTS_PER_RUN * 0.9);
    await processes.killAndStart(kill % 3 === 2 ? "api" : "worker");
  }
  await tracking;
  const hasEnded = async () => {
    const [row] = await stage.rows(
      "select count(*)::int as n from automation_runs where status = 'running'",
    );
    return row.n === 0;
  };
  await until(hasEnded, ENDED_MS_MAX);
  await stage.operator("POST", "/clock/advance", { seconds: SETTLED_SECONDS });
  await check(stage, to);
  t.diagnostic(`${plan.kills} kills, ${plan.contacts} runs`);
}

async function call(
  stage: KillStage,
  key: string,
  path: string,
  body: unknown,
  idempotencyKey = "",
) {
  const answer = await fetch(`${stage.url}/v1${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(idempotencyKey === "" ? {} : { "idempotency-key": idempotencyKey }),
    },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json() as Promise<{ matched?: number }>;
}

async function importContacts(stage: KillStage, key: string, to: readonly string[]): Promise<void> {
  for (let start = 0; start < to.length; start += IMPORT_ROWS_MAX) {
    const contacts = to
      .slice(start, start + IMPORT_ROWS_MAX)
      .map((phone_number) => ({ phone_number }));
    await call(stage, key, "/contacts/import", { contacts });
  }
}

/** Tracks every contact from a few clients, which repeat unanswered requests. */
async function trackAll(stage: KillStage, key: string, to: readonly string[]): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < to.length) {
      const n = next;
      next += 1;
      const body = { event: "joined", phone_number: to[n], properties: { n } };
      for (;;) {
        const answer = await call(stage, key, "/track", body, `joined ${n}`).catch(() => null);
        if (answer !== null) break;
        await sleep(RETRY_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function check(stage: KillStage, to: readonly string[]): Promise<void> {
  const all = to.length;
  const runs = await stage.rows(
    "select status, reason, count(*)::int as n from automation_runs group by 1, 2 order by 1",
  );
  const started = runs.reduce((sum, row) => sum + row.n, 0);
  assert.equal(started, all, "runs that were started");
  // A message whose response a kill lost fails as unknown and ends its run.
  const odd = runs.filter((row) => row.status !== "completed" && row.reason !== "outcome_unknown");
  assert.deepEqual(odd, [], "runs that ended otherwise");
  const left = new Map<string, number>();
  for (const { body, answer } of await stage.submits()) {
    if (answer === "accept") left.set(body, (left.get(body) ?? 0) + 1);
  }
  const twice = [...left].filter(([, times]) => times > 1);
  assert.deepEqual(twice, [], "messages submitted twice");
  const texts = await stage.rows(
    "select body, status, failure_code from messages where direction = 'outbound'",
  );
  assert.equal(
    new Set(texts.map((row) => row.body)).size,
    texts.length,
    "a step wrote two messages",
  );
  const isUnknown = (code: string | null) => code === "outcome_unknown";
  const lost = texts.filter((row) => !left.has(row.body) && !isUnknown(row.failure_code));
  assert.deepEqual(lost, [], "stored messages that were never submitted");
  const completed = runs
    .filter((row) => row.status === "completed")
    .reduce((sum, row) => sum + row.n, 0);
  const [second] = await stage.rows(
    "select count(*)::int as n from messages where body like 'second %'",
  );
  assert.ok(
    second.n >= completed,
    `${completed} runs are complete, and ${second.n} sent their last message`,
  );
  const [events] = await stage.rows(
    `select count(*) filter (where type = 'automation.run.started')::int as started,
            count(*) filter (where type in ('automation.run.completed', 'automation.run.failed'))::int as ended
       from events`,
  );
  assert.deepEqual(events, { started: all, ended: all });
  const [tagged] = await stage.rows(
    "select count(*)::int as n from contacts where tag_lines = E'\\nseen\\n'",
  );
  assert.ok(tagged.n >= completed && tagged.n <= all);
  await assertMoneyAddsUp(stage.rows);
  await assertMessagesWhole(stage.rows);
}
