import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { measureCost } from "./cost.ts";
import { type Check, defineBench } from "./define.ts";
import { CONNECTIONS, sending } from "./message-load.ts";
import { printed, ROOT, stop } from "./processes.ts";
import type { Server } from "./server.ts";
import type { Stage, Workload } from "./stage.ts";

const COUNTS = [1, 2, 4, 8];
const ROUNDS = 2;
const TEXTS_PER_SECOND_EACH = 100;
/** What a text may take more on several processes that carry the same load each than on one. */
const GROWTH_MAX = 0.1;

interface Node {
  readonly url: string;
  readonly child: ChildProcess;
}

interface Load {
  readonly name: string;
  readonly workload: (count: number) => Pick<Workload, "connections" | "perSecond">;
  readonly isJudged: boolean;
}

/**
 * Two loads. The first is that of an installation that grows, where every process brings its own
 * clients: whatever processes do for each other shows as time per text. The second is the same clients
 * on more and more processes: texts that come at once share a commit only within a process, so that
 * each takes more the thinner they are spread. That is the price of spreading, told and not judged.
 */
const LOADS: readonly Load[] = [
  {
    name: `${TEXTS_PER_SECOND_EACH} texts/s on each`,
    workload: () => ({ connections: CONNECTIONS, perSecond: () => TEXTS_PER_SECOND_EACH }),
    isJudged: true,
  },
  {
    name: `${CONNECTIONS} clients in all`,
    workload: (count) => ({ connections: CONNECTIONS / count }),
    isJudged: false,
  },
];

/** What one text takes of all processors together, by the number of processes that share the work. */
export const bench = defineBench({
  title: "Several processes on one PostgreSQL",
  isLong: true,
  async checks(stage) {
    const server = await stage.server({ LOG_LEVEL: "error", LONGWAVE_DATABASE_CONNECTIONS: "20" });
    const nodes: Node[] = [];
    const alone = new Map<Load, number>();
    const checks = new Map<Load, Check[]>(LOADS.map((load) => [load, []]));
    for (const count of COUNTS) {
      while (nodes.length < count - 1) nodes.push(await startNode(stage, server));
      for (const load of LOADS) {
        const told = await averageOf(() => measure(stage, server, nodes, load));
        const micros = told.nodeMicros + told.postgresMicros;
        if (count === 1) alone.set(load, micros);
        const isCompared = load.isJudged && count > 1;
        checks.get(load)?.push({
          name: `${count} ${count === 1 ? "process" : "processes"}, ${load.name}`,
          measured: `${Math.round(micros)} µs a text (Node.js ${Math.round(told.nodeMicros)}, PostgreSQL ${Math.round(told.postgresMicros)}), ${Math.round(told.perSecond)} texts/s`,
          limit: isCompared ? "at most 10 % more than one process" : "",
          holds: !isCompared || micros <= (alone.get(load) ?? 0) * (1 + GROWTH_MAX),
        });
      }
    }
    return [...checks.values()].flat();
  },
});

interface Told {
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly perSecond: number;
}

/** The first round warms up and is not counted. */
async function averageOf(round: () => Promise<Told>): Promise<Told> {
  await round();
  const rounds: Told[] = [];
  for (let count = 0; count < ROUNDS; count += 1) rounds.push(await round());
  const mean = (of: (told: Told) => number) =>
    rounds.reduce((sum, told) => sum + of(told), 0) / rounds.length;
  return {
    nodeMicros: mean((told) => told.nodeMicros),
    postgresMicros: mean((told) => told.postgresMicros),
    perSecond: mean((told) => told.perSecond),
  };
}

/** A load on every process; the texts are counted where they are stored. */
async function measure(
  stage: Stage,
  server: Server,
  nodes: readonly Node[],
  load: Load,
): Promise<Told> {
  const urls = [server.url, ...nodes.map((node) => node.url)];
  const headers = { authorization: `Bearer ${server.testKey}` };
  const loads = urls.map((url) =>
    sending(stage, {
      name: url,
      url: `${url}/v1/messages`,
      headers,
      ...load.workload(urls.length),
    }),
  );
  const before = await countTexts(server);
  const measured = { ...server, morePids: nodes.map(({ child }) => child.pid ?? 0) };
  const work = async () => {
    const done = await Promise.all(loads.map((one) => one.measure()));
    return {
      texts: (await countTexts(server)) - before,
      perSecond: done.reduce((sum, one) => sum + one.perSecond, 0),
    };
  };
  const { result, cost } = await measureCost(measured, work, ({ texts }) => texts);
  const { nodeMicros, postgresMicros } = cost;
  return { nodeMicros, postgresMicros, perSecond: result.perSecond };
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
