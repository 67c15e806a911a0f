import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../testing/message-invariants.ts";
import { FROM, type KillStage, killHard, openStage } from "./stage.ts";

const CLIENTS = 8;
const WINDOW = 20;
const PAUSE_BETWEEN_KILLS_MS = 400;
const RETRY_MS = 50;

/** An accepted message, as confirmed to a client. */
export interface Acknowledged {
  readonly id: string;
  readonly text: string;
}

/**
 * Kills the server repeatedly with SIGKILL while clients send. Clients repeat unanswered requests with the
 * same key. Everything acknowledged must exist once, and the journal must have no duplicate.
 */
export async function killUnderLoad(t: TestContext, kills: number): Promise<void> {
  const stage = await openStage(t, { window: WINDOW });
  let program = await stage.start();
  const liveKey = await stage.prepare();
  const acknowledged: Acknowledged[] = [];
  const done = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    sendUntil(stage.url, liveKey, client, acknowledged, done.signal),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const before = acknowledged.length;
    while (acknowledged.length < before + CLIENTS) await sleep(PAUSE_BETWEEN_KILLS_MS / 10);
    await sleep(Math.random() * PAUSE_BETWEEN_KILLS_MS);
    await killHard(program);
    program = await stage.start();
  }
  done.abort();
  await Promise.all(clients);
  await check(stage, acknowledged);
}

/** Sends messages, and repeats unanswered requests with the same key, until the signal aborts. */
export async function sendUntil(
  url: string,
  key: string,
  client: number,
  acknowledged: Acknowledged[],
  signal: AbortSignal,
  onStatus: (status: number) => void = () => {},
): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    const text = `client ${client} text ${count}`;
    const to = `+1415555${String(2_000 + client)}`;
    const body = JSON.stringify({ to, from: FROM, body: text });
    for (;;) {
      const answer = await fetch(`${url}/v1/messages`, {
        method: "POST",
        body,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": text,
        },
      }).catch(() => null);
      if (answer) onStatus(answer.status);
      if (answer?.status === 201 || answer?.status === 202) {
        const { id } = (await answer.json().catch(() => ({ id: null }))) as { id: string | null };
        if (id !== null) {
          acknowledged.push({ id, text });
          break;
        }
      }
      // A test that ends while the server is down leaves the last message unacknowledged.
      if (signal.aborted) return;
      await sleep(RETRY_MS);
    }
  }
}

export async function check(
  stage: KillStage,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const rows: { body: string; status: string; n: number }[] = await stage.rows(
    "select body, min(status) as status, count(*)::int as n from messages where direction = 'outbound' group by body",
  );
  const stored = new Map(rows.map((row) => [row.body, row]));
  const missing = acknowledged.filter(({ text }) => !stored.has(text));
  assert.deepEqual(missing, [], "acknowledged messages that do not exist");
  assert.deepEqual(
    rows.filter((row) => row.n > 1),
    [],
    "messages that exist twice",
  );
  await assertMoneyAddsUp(stage.rows);
  await assertMessagesWhole(stage.rows);

  const times = new Map<string, number>();
  for (const { body } of await stage.submits()) times.set(body, (times.get(body) ?? 0) + 1);
  const twice = [...times].filter(([, count]) => count > 1);
  assert.deepEqual(twice, [], "messages submitted twice");
  const neverSubmitted = rows.filter((row) => row.status !== "queued" && !times.has(row.body));
  assert.deepEqual(neverSubmitted, [], "sent messages that were never submitted");
}
