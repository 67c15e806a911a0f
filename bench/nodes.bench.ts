import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Cost, measureCost } from "./cost.ts";
import { type Check, defineBench } from "./define.ts";
import { printed, ROOT, stop } from "./processes.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";
import { CONNECTIONS, sending } from "./texts.ts";

const COUNTS = [1, 2, 4, 8];
const ROUNDS = 2;
/** What a text may take more, or less, on several processes than on one. */
const DRIFT_MAX = 0.1;

interface Node {
  readonly url: string;
  readonly child: ChildProcess;
}

/** What one text takes of all processors together, by the number of processes that share the work. */
export const bench = defineBench({
  title: "Several processes on one PostgreSQL",
  isLong: true,
  async checks(stage) {
    const server = await stage.server({ LOG_LEVEL: "error", LONGWAVE_DATABASE_CONNECTIONS: "20" });
    const nodes: Node[] = [];
    const checks: Check[] = [];
    let alone = 0;
    for (const count of COUNTS) {
      while (nodes.length < count - 1) nodes.push(await startNode(stage, server));
      await measure(stage, server, nodes);
      const rounds: { cost: Cost; perSecond: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        rounds.push(await measure(stage, server, nodes));
      }
      const mean = (of: (round: (typeof rounds)[number]) => number) =>
        rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length;
      const node = mean(({ cost }) => cost.nodeMicros);
      const postgres = mean(({ cost }) => cost.postgresMicros);
      if (count === 1) alone = node + postgres;
      const drift = (node + postgres) / alone - 1;
      checks.push({
        name: `${count} ${count === 1 ? "process" : "processes"}`,
        measured: `${Math.round(node + postgres)} µs a text (Node.js ${Math.round(node)}, PostgreSQL ${Math.round(postgres)}), ${Math.round(mean(({ perSecond }) => perSecond))} texts/s`,
        limit: count === 1 ? "what the others are compared with" : "within 10 % of one process",
        holds: Math.abs(drift) <= DRIFT_MAX,
      });
    }
    return checks;
  },
});

/** All connections, spread over the processes; the texts are counted where they are stored. */
async function measure(stage: Stage, server: Server, nodes: readonly Node[]) {
  const urls = [server.url, ...nodes.map((node) => node.url)];
  const headers = { authorization: `Bearer ${server.testKey}` };
  const loads = urls.map((url) =>
    sending(stage, {
      name: url,
      url: `${url}/v1/messages`,
      headers,
      connections: CONNECTIONS / urls.length,
    }),
  );
  const before = await countTexts(server);
  const measured = { ...server, morePids: nodes.map(({ child }) => child.pid ?? 0) };
  const work = async () => {
    const done = await Promise.all(loads.map((load) => load.measure()));
    return {
      texts: (await countTexts(server)) - before,
      perSecond: done.reduce((sum, one) => sum + one.perSecond, 0),
    };
  };
  const { result, cost } = await measureCost(measured, work, ({ texts }) => texts);
  return { cost, perSecond: result.perSecond };
}

async function countTexts({ connection }: Server): Promise<number> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query("select count(*)::int as texts from messages");
    return (rows[0] as { texts: number }).texts;
  } finally {
    await client.end();
  }
}

/** Another process of the same installation. */
async function startNode(stage: Stage, server: Server): Promise<Node> {
  const folder = await mkdtemp(join(tmpdir(), "lw-bench-node-"));
  stage.atEnd(() => rm(folder, { recursive: true, force: true }));
  const at = (user: string) =>
    `postgres://${user}@/longwave?host=${encodeURIComponent(String(server.connection.host))}`;
  const child = spawn(process.execPath, [join(ROOT, "packages/server/dist/main.js")], {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      LONGWAVE_DATA: folder,
      LONGWAVE_DATABASE_CONNECTIONS: "20",
      LONGWAVE_SECRET_KEY: (await readFile(join(server.folder, "secret-key"), "utf8")).trim(),
      DATABASE_URL: at("longwave_app"),
      DATABASE_OWNER_URL: at("longwave_owner"),
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  stage.atEnd(() => stop(child));
  const [, url = ""] = await printed(child, /^Longwave is ready at (http:\S+)$/m);
  return { url, child };
}
