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

/** A bind moves within this time of a kill. */
const MOVE_MS_MAX = 10_000;
/** The promise is for an idle machine: one that is busy may take so many of its own round trips longer. */
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

/** A receipt that carries our own reference alone, as one comes whose answer was lost. */
function receiptOfLost({ smsc }: SmppKillStage, to: string): Promise<number | null> {
  const lost = smsc.journal.taken().find((taken) => taken.to === to.slice(1));
  assert.ok(lost?.userMessageReference, "every submit carries user_message_reference");
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

/** How long at most this process, which is the SMSC, could not look at what had come in. */
function watchStalls(t: TestContext): () => number {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  t.after(() => delays.disable());
  return () => delays.max / 1_000_000_000;
}

/** The most submits within any second, and how many a second there were. */
function pace(times: readonly number[]): { most: number; perSecond: number } {
  const most = Math.max(
    ...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length),
  );
  const took = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  return { most, perSecond: times.length / took };
}

test("binds move and are shared between processes", async (t) => {
  const stage = await openSmppStage(t, { window: 5 });
  const { smsc } = stage;
  await stage.start({ LONGWAVE_ROLES: "api" });
  const key = await stage.prepare();
  const workers: Program[] = await Promise.all([stage.start(WORKER), stage.start(WORKER)]);
  let phone = 2_000;
  /** Whoever takes the request hears within a second where the link is. */
  const untilSent = () =>
    until(async () => {
      phone += 1;
      return (await send(stage, key, `+1415555${phone}`)).status === 201;
    });

  await t.test("a bind moves within 10 s of a kill, with what was out on it", async () => {
    await until(() => smsc.connections("us").length === 1);
    await untilSent();
    const lost = await send(stage, key, NEVER_ANSWERED);
    assert.equal(lost.status, 202);
    const killed = await ownerAmong(stage, workers);
    const [lostLine] = smsc.connections("us");
    const roundTripMs = watchRoundTrips(stage);
    const killedAt = performance.now();
    await killHard(killed);
    workers.splice(workers.indexOf(killed), 1);
    const acknowledged = receiptOfLost(stage, NEVER_ANSWERED);
    // The SMSC may not have heard yet that the line is gone.
    await until(() => smsc.connections("us").some((line) => line !== lostLine));
    assertMoved(t, performance.now() - killedAt, await roundTripMs());
    await untilSent();
    // Whoever has the bind now knows what the other had out, and what its receipt is about.
    assert.equal(await acknowledged, 0);
    await until(async () => (await statusOf(stage, key, lost.body.id)) === "delivered");
  });

  await t.test("a bind moves within 10 s of a stop; who comes back writes nothing", async () => {
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
    // It finds that the bind is another's, and leaves.
    await until(() => smsc.connections("us").length === 1);
    assert.equal(await ownerAmong(stage, [stopped, third]), third);
    await untilSent();
    const to = smsc.journal.taken().map((taken) => taken.to);
    assert.equal(new Set(to).size, to.length, "nobody was texted twice");
  });

  await t.test("SIGHUP has every process read the file; a mistake changes nothing", async () => {
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
    // Every process hears of it at the same time, and takes one bind.
    await until(async () => {
      const owners = (await binds(stage)).filter((bind) => bind.state === "up");
      return new Set(owners.map((bind) => bind.owner)).size === 2;
    });
    assert.ok(workers.every((one) => one.child.exitCode === null));
  });

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
    // Each bind may make up for a tenth of a second, and a stall of ours moves what came in it into the next.
    const allowed = RATE * (1.25 + stalledSeconds());
    assert.ok(most <= allowed, `${most} submits within a second, ${allowed} allowed`);
    assert.ok(smsc.journal.mostOutstanding() <= 5);
  });
});
