import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import test, { type TestContext } from "node:test";
import { tlv } from "@longwave/smpp";
import { phones } from "../../testing/batches.ts";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import type { Program } from "../../testing/program.ts";
import { watchRoundTrips } from "../../testing/round-trips.ts";
import { smppEntry, writeCarriers } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";
import { NEVER_ANSWERED, openSmppStage, type SmppKillStage } from "./smpp-stage.ts";
import { FROM, killHard } from "./stage.ts";

/** Maximum time until a bind moves after a kill. */
const MOVE_MS_MAX = 10_000;
/** Allowance for a busy machine, in its own round trips. */
const ROUND_TRIPS = 20;
const RATE = 40;
const TEXTS = 120;
const WORKER = { LONGWAVE_ROLES: "worker", PORT: "0" };

async function post(stage: SmppKillStage, key: string, path: string, body: object) {
  const answer = await fetch(`${stage.url}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  return { status: answer.status, body: (await answer.json()) as any };
}

const send = (stage: SmppKillStage, key: string, to: string) =>
  post(stage, key, "/messages", { to, from: FROM, body: "Hello" });

async function statusOf(stage: SmppKillStage, key: string, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${stage.url}/v1/messages/${id}`, { headers });
  return ((await answer.json()) as { status: string }).status;
}

/** The binds as the operator sees them. */
async function binds(stage: SmppKillStage): Promise<{ owner: string | null; state: string }[]> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const answer = await fetch(`${stage.url}/operator/v1/carriers`, { headers });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  return ((await answer.json()) as any).data[0].binds;
}

async function ownerAmong(stage: SmppKillStage, programs: readonly Program[]): Promise<Program> {
  const [bind] = await binds(stage);
  const owner = programs.find((one) => bind?.owner?.endsWith(`:${one.child.pid}`));
  assert.ok(owner, `${bind?.owner} owns the bind`);
  return owner;
}

/** Delivers a receipt with our reference only, as for a message whose response was lost. */
function deliverReceiptOfLost({ smsc }: SmppKillStage, to: string): Promise<number | null> {
  const lost = smsc.journal.taken().find((taken) => taken.to === to.slice(1));
  assert.ok(lost?.userMessageReference, "every submit has a user_message_reference");
  return smsc.deliver("us", to, {
    fields: { esm_class: 4, short_message: Buffer.from("id:its-own-name stat:DELIVRD err:000") },
    tlvs: [tlv("user_message_reference", lost.userMessageReference)],
  });
}

function assertMoved(t: TestContext, tookMs: number, roundTripMs: number): void {
  const allowedMs = MOVE_MS_MAX + ROUND_TRIPS * roundTripMs;
  t.diagnostic(`bound again after ${Math.round(tookMs)} ms, ${Math.round(allowedMs)} allowed`);
  assert.ok(tookMs < allowedMs, `bound again after ${tookMs} ms, ${allowedMs} allowed`);
}

/** Longest stall of this process, which runs the SMSC, in seconds. */
function watchStalls(t: TestContext): () => number {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  t.after(() => delays.disable());
  return () => delays.max / 1_000_000_000;
}

/** Maximum number of submits within a second, and the average rate. */
function pace(times: readonly number[]): { most: number; perSecond: number } {
  const most = Math.max(
    ...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length),
  );
  const took = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  return { most, perSecond: times.length / took };
}

test("binds move between processes and are shared", async (t) => {
  const stage = await openSmppStage(t, { window: 5 });
  const { smsc } = stage;
  await stage.start({ LONGWAVE_ROLES: "api" });
  const key = await stage.prepare();
  const workers: Program[] = await Promise.all([stage.start(WORKER), stage.start(WORKER)]);
  let phone = 2_000;
  /** Sends until accepted: the receiving process learns the link's location within a second. */
  const untilSent = () =>
    until(async () => {
      phone += 1;
      return (await send(stage, key, `+1415555${phone}`)).status === 201;
    });

  await t.test("a bind moves within 10 s of a kill, with its outstanding submits", async () => {
    await until(() => smsc.connections("us").length === 1);
    await untilSent();
    const lost = await send(stage, key, NEVER_ANSWERED);
    assert.equal(lost.status, 202);
    const killed = await ownerAmong(stage, workers);
    const [lostConnection] = smsc.connections("us");
    const roundTripMs = watchRoundTrips(stage);
    const killedAt = performance.now();
    await killHard(killed);
    workers.splice(workers.indexOf(killed), 1);
    const acknowledged = deliverReceiptOfLost(stage, NEVER_ANSWERED);
    // The SMSC may not have noticed the closed connection yet.
    await until(() => smsc.connections("us").some((connection) => connection !== lostConnection));
    assertMoved(t, performance.now() - killedAt, await roundTripMs());
    await untilSent();
    // The new owner knows the outstanding submits of the old one, and matches their receipts.
    assert.equal(await acknowledged, 0);
    await until(async () => (await statusOf(stage, key, lost.body.id)) === "delivered");
  });

  await t.test(
    "a bind moves within 10 s of a stop; the continued process writes nothing",
    async () => {
      const stopped = await ownerAmong(stage, workers);
      const third = await stage.start(WORKER);
      workers.push(third);
      const roundTripMs = watchRoundTrips(stage);
      stopped.child.kill("SIGSTOP");
      const stoppedAt = performance.now();
      try {
        await until(() => smsc.connections("us").length === 2);
        assertMoved(t, performance.now() - stoppedAt, await roundTripMs());
        await untilSent();
      } finally {
        stopped.child.kill("SIGCONT");
      }
      // The continued process finds that it lost the bind and disconnects.
      await until(() => smsc.connections("us").length === 1);
      assert.equal(await ownerAmong(stage, [stopped, third]), third);
      await untilSent();
      const to = smsc.journal.taken().map((taken) => taken.to);
      assert.equal(new Set(to).size, to.length, "no phone got two messages");
    },
  );

  await t.test(
    "SIGHUP makes every process reload the file; an invalid file changes nothing",
    async () => {
      const [worker] = workers;
      assert.ok(worker);
      const entry = smppEntry(smsc, { window: 5, binds: 2, rate: RATE });
      await writeCarriers(stage.carriersFile, [{ ...entry, bind: "both" }]);
      worker.child.kill("SIGHUP");
      await worker.says(/carriers\[0\]\.bind takes "transceiver" or "tx_rx"/);
      await worker.says(/Nothing was changed/);
      assert.equal(smsc.connections("us").length, 1);
      await writeCarriers(stage.carriersFile, [entry]);
      worker.child.kill("SIGHUP");
      await worker.says(/read again: 0 added, 1 changed, 0 removed, 0 left alone/);
      // All processes reload at the same time, and each takes one bind.
      await until(async () => {
        const owners = (await binds(stage)).filter((bind) => bind.state === "up");
        return new Set(owners.map((bind) => bind.owner)).size === 2;
      });
      assert.ok(workers.every((one) => one.child.exitCode === null));
    },
  );

  await t.test("processes share a carrier's rate, as the SMSC counts it", async () => {
    const stalledSeconds = watchStalls(t);
    const before = smsc.journal.taken().length;
    const recipients = phones(TEXTS).map((to) => ({ to }));
    const made = await post(stage, key, "/batches", { from: FROM, body: "Hello", recipients });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const times = () =>
      smsc.journal
        .taken()
        .slice(before)
        .map((taken) => taken.atMs);
    await until(() => times().length === recipients.length);
    const { most, perSecond } = pace(times());
    t.diagnostic(`${most} in the busiest second, ${Math.round(perSecond)} a second`);
    // Each bind may catch up a tenth of a second, and a stall here delays the submits of one second into the
    // next.
    const allowed = RATE * (1.25 + stalledSeconds());
    assert.ok(most <= allowed, `${most} submits within a second, ${allowed} allowed`);
    assert.ok(smsc.journal.mostOutstanding() <= 5);
  });
});
