import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startFaultProxy } from "../../testing/fault-proxy.ts";
import { freePort } from "../../testing/free-port.ts";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../testing/message-invariants.ts";
import type { Program } from "../../testing/program.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { until } from "../../testing/until.ts";
import { openSmppStage, type SmppKillStage } from "../kills/smpp-stage.ts";
import { FROM, killHard } from "../kills/stage.ts";
import { startClients } from "./clients.ts";
import { assertNothingLostOrDoubled } from "./exactly-once.ts";

const TAKEN_OVER_MS_MAX = 30_000;
const RECOVERED_MS_MAX = 40_000;
const SCHEDULED_EVERY_MS = 500;

export interface Faults {
  readonly nodes: number;
  readonly clients: number;
  /** Each fault hits the node with the carrier's bind, then another node. */
  readonly faults: readonly Fault[];
  /** Duration of a stop or disconnection. */
  readonly faultMs: number;
}

type Fault = "kill" | "stop" | "cut";

interface Node {
  readonly url: string;
  program: Program;
  start(): Promise<Program>;
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>;
}

/**
 * Runs several nodes on one PostgreSQL under load, while one at a time is killed, stopped or disconnected.
 * Clients see at most a retry, nothing is lost or duplicated, and the node's work is taken over.
 */
export async function nodesUnderFaults(t: TestContext, options: Faults): Promise<void> {
  const stage = await openSmppStage(t, { window: 10 });
  const nodes = await startNodes(t, stage, options.nodes);
  const urls = nodes.map((node) => node.url);
  const key = await stage.prepare(urls[0]);
  await until(() => stage.smsc.connections("us").length === 1, RECOVERED_MS_MAX);
  const clients = startClients(urls, key, options.clients);
  t.after(() => clients.stop());
  const timed = scheduleUntil(urls, key);
  t.after(() => timed.stop());
  for (const fault of options.faults) {
    for (const node of [await ownerOf(stage, nodes), await otherOf(stage, nodes)]) {
      const before = clients.met.acknowledged.length;
      await applyFault(fault, node, options.faultMs);
      await until(() => clients.met.acknowledged.length > before + 20, RECOVERED_MS_MAX);
    }
  }
  await timed.stop();
  await clients.stop();
  const { acknowledged, refusals, slowestMs } = clients.met;
  t.diagnostic(
    `${acknowledged.length} messages, the slowest ${Math.round(slowestMs)} ms, other answers ${JSON.stringify([...refusals])}`,
  );
  const lateMs = await settled(stage);
  t.diagnostic(`the latest scheduled message was ${Math.round(lateMs)} ms late`);
  assert.ok(lateMs <= TAKEN_OVER_MS_MAX, "work was taken over within 30 s");
  assert.equal([...refusals.keys()].filter((status) => status >= 400 && status !== 503).length, 0);
  await until(() => stage.smsc.connections("us").length === 1, RECOVERED_MS_MAX);
  await assertNothingLostOrDoubled(stage.rows, stage, acknowledged);
  await assertMoneyAddsUp(stage.rows);
  await assertMessagesWhole(stage.rows);
}

async function startNodes(t: TestContext, stage: SmppKillStage, count: number): Promise<Node[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const proxy = await startFaultProxy(t, stage.connection);
      const { port: proxyPort, user, database } = proxy.connection;
      const port = await freePort();
      const env = {
        PORT: String(port),
        LONGWAVE_DATA: await temporaryFolder(t),
        LONGWAVE_SECRET_KEY: "6c".repeat(32),
        DATABASE_URL: `postgres://${user}@127.0.0.1:${proxyPort}/${database}`,
      };
      const start = () => stage.start(env);
      return { url: `http://127.0.0.1:${port}`, program: await start(), start, proxy };
    }),
  );
}

async function applyFault(fault: Fault, node: Node, faultMs: number): Promise<void> {
  if (fault === "kill") {
    await killHard(node.program);
    node.program = await node.start();
  } else if (fault === "stop") {
    node.program.child.kill("SIGSTOP");
    await sleep(faultMs);
    node.program.child.kill("SIGCONT");
  } else {
    node.proxy.set("black-hole");
    await sleep(faultMs);
    // Dropped bytes are lost, as after a network failure whose other end has given up.
    node.proxy.set("away");
    node.proxy.set("none");
  }
}

async function ownerOf(stage: SmppKillStage, nodes: readonly Node[]): Promise<Node> {
  const [row] = await stage.rows("select owner from carrier_binds where lease_until > now()");
  const owner = nodes.find((node) => row?.owner?.endsWith(`:${node.program.child.pid}`));
  return owner ?? (nodes[0] as Node);
}

async function otherOf(stage: SmppKillStage, nodes: readonly Node[]): Promise<Node> {
  const owner = await ownerOf(stage, nodes);
  return nodes.find((node) => node !== owner) as Node;
}

/** Schedules messages continuously; workers send them, so their lateness shows how late a takeover was. */
function scheduleUntil(urls: readonly string[], key: string): { stop(): Promise<void> } {
  const done = new AbortController();
  const running = (async () => {
    for (let count = 0; !done.signal.aborted; count += 1) {
      const url = urls[count % urls.length] as string;
      const body = { to: "+14155552999", from: FROM, body: `timed ${count}` };
      await fetch(`${url}/v1/messages`, {
        method: "POST",
        body: JSON.stringify({ ...body, scheduled_at: Date.now() + 1_000 }),
        signal: AbortSignal.timeout(5_000),
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      }).catch(() => null);
      await sleep(SCHEDULED_EVERY_MS);
    }
  })();
  return {
    async stop() {
      done.abort();
      await running;
    },
  };
}

/** Waits until no scheduled message is pending; returns the maximum lateness in ms. */
async function settled(stage: SmppKillStage): Promise<number> {
  await until(async () => {
    const [row] = await stage.rows(
      "select count(*)::int as pending from scheduled_messages where status = 'pending'",
    );
    return row.pending === 0;
  }, RECOVERED_MS_MAX);
  const [row] = await stage.rows(
    `select coalesce(max(extract(epoch from m.created_at - s.scheduled_at)), 0) * 1000 as late_ms
       from scheduled_messages s join messages m on m.shard = s.shard and m.id = s.message_id`,
  );
  return Number(row.late_ms);
}
