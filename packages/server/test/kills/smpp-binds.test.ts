import assert from "node:assert/strict";
import test from "node:test";
import { phones } from "../../testing/batches.ts";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import type { Program } from "../../testing/program.ts";
import { until } from "../../testing/until.ts";
import { openSmppStage, type SmppKillStage } from "./smpp-stage.ts";
import { FROM, killHard } from "./stage.ts";

/** A bind moves within this time of a kill. */
const MOVE_MS_MAX = 10_000;
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

test("a bind moves within 10 s of a kill, and of a stop; who comes back writes nothing", async (t) => {
  const stage = await openSmppStage(t, { window: 5 });
  const { smsc } = stage;
  await stage.start({ LONGWAVE_ROLES: "api" });
  const key = await stage.prepare();
  const [first, second] = await Promise.all([stage.start(WORKER), stage.start(WORKER)]);
  const workers = [first, second];
  let phone = 2_000;
  /** Whoever takes the request hears within a second where the link is. */
  const untilSent = () =>
    until(async () => {
      phone += 1;
      return (await send(stage, key, `+1415555${phone}`)).status === 201;
    });
  await until(() => smsc.connections("us").length === 1);
  await untilSent();

  const killed = await ownerAmong(stage, workers);
  const killedAt = performance.now();
  await killHard(killed);
  await until(() => smsc.connections("us").length === 1, MOVE_MS_MAX);
  t.diagnostic(`bound again ${Math.round(performance.now() - killedAt)} ms after the kill`);
  assert.ok(performance.now() - killedAt < MOVE_MS_MAX);
  await untilSent();

  const stopped = await ownerAmong(stage, workers);
  assert.notEqual(stopped, killed);
  const third = await stage.start(WORKER);
  stopped.child.kill("SIGSTOP");
  const stoppedAt = performance.now();
  try {
    await until(() => smsc.connections("us").length === 2, MOVE_MS_MAX);
    t.diagnostic(`bound again ${Math.round(performance.now() - stoppedAt)} ms after the stop`);
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

test("processes share a carrier's rate and its binds, as the SMSC counts them", async (t) => {
  const rate = 40;
  const stage = await openSmppStage(t, { window: 5, carriers: [] }, { binds: 2, rate });
  const { smsc } = stage;
  await stage.start({ LONGWAVE_ROLES: "api" });
  const key = await stage.prepare();
  await Promise.all([stage.start(WORKER), stage.start(WORKER)]);
  // Every process hears of the reload at the same time, and takes one bind.
  await stage.connectCarrier();
  await until(async () => {
    const owners = (await binds(stage)).filter((bind) => bind.state === "up");
    return new Set(owners.map((bind) => bind.owner)).size === 2;
  });
  const recipients = phones(200).map((to) => ({ to }));
  const made = await post(stage, key, "/batches", { from: FROM, body: "Hello", recipients });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await until(() => smsc.journal.taken().length === recipients.length, 30_000);
  const times = smsc.journal.taken().map((taken) => taken.atMs);
  const most = Math.max(
    ...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length),
  );
  // Each bind may make up for a tenth of a second.
  assert.ok(most <= rate * 1.25, `${most} submits within a second`);
  const took = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  t.diagnostic(`${most} in the busiest second, ${Math.round(times.length / took)} a second`);
  assert.ok(smsc.journal.mostOutstanding() <= 5);
});
