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
const MESSAGES_PER_SECOND_EACH = 100;
/** Maximum growth of the cost per message on several processes with the same load each, relative to one. */
const GROWTH_MAX = 0.1;

interface Node {
  readonly url: string;
  readonly child: ChildProcess;
}

interface Load {
  readonly name: string;
  readonly workload: (count: number) => Pick<Workload, "connections" | "perSecond">;
  readonly hasLimit: boolean;
}

/**
 * Two loads. In the first, every process brings its own clients, as in a growing installation; work that
 * processes do for each other shows as time per message. In the second, the same clients spread over more
 * processes. Messages share a commit only within a process, so each costs more; that price has no limit.
 */
const LOADS: readonly Load[] = [
  {
    name: `${MESSAGES_PER_SECOND_EACH} messages/s on each`,
    workload: () => ({ connections: CONNECTIONS, perSecond: () => MESSAGES_PER_SECOND_EACH }),
    hasLimit: true,
  },
  {
    name: `${CONNECTIONS} clients in all`,
    workload: (count) => ({ connections: CONNECTIONS / count }),
    hasLimit: false,
  },
];

/** Processor time of one message over all processors, by number of processes. */
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
        const result = await averageOf(() => measure(stage, server, nodes, load));
        const micros = result.nodeMicros + result.postgresMicros;
        if (count === 1) alone.set(load, micros);
        const isCompared = load.hasLimit && count > 1;
        checks.get(load)?.push({
          name: `${count} ${count === 1 ? "process" : "processes"}, ${load.name}`,
          measured: `${Math.round(micros)} µs a message (Node.js ${Math.round(result.nodeMicros)}, PostgreSQL ${Math.round(result.postgresMicros)}), ${Math.round(result.perSecond)} messages/s`,
          limit: isCompared ? "at most 10 % more than one process" : "",
          holds: !isCompared || micros <= (alone.get(load) ?? 0) * (1 + GROWTH_MAX),
        });
      }
    }
    return [...checks.values()].flat();
  },
});

interface Cost {
  readonly nodeMicros: number;
  readonly postgresMicros: number;
  readonly perSecond: number;
}

/** Averages rounds; the first one warms up and is not counted. */
async function averageOf(round: () => Promise<Cost>): Promise<Cost> {
  await round();
  const rounds: Cost[] = [];
  for (let count = 0; count < ROUNDS; count += 1) rounds.push(await round());
  const mean = (of: (result: Cost) => number) =>
    rounds.reduce((sum, result) => sum + of(result), 0) / rounds.length;
  return {
    nodeMicros: mean((result) => result.nodeMicros),
    postgresMicros: mean((result) => result.postgresMicros),
    perSecond: mean((result) => result.perSecond),
  };
}

/** Loads every process; messages are counted in the database. */
async function measure(
  stage: Stage,
  server: Server,
  nodes: readonly Node[],
  load: Load,
): Promise<Cost> {
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
  const before = await countMessages(server);
  const measured = { ...server, morePids: nodes.map(({ child }) => child.pid ?? 0) };
  const work = async () => {
    const done = await Promise.all(loads.map((one) => one.measure()));
    return {
      messages: (await countMessages(server)) - before,
      perSecond: done.reduce((sum, one) => sum + one.perSecond, 0),
    };
  };
  const { result, cost } = await measureCost(measured, work, ({ messages }) => messages);
  const { nodeMicros, postgresMicros } = cost;
  return { nodeMicros, postgresMicros, perSecond: result.perSecond };
}

async function countMessages({ connection }: Server): Promise<number> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows } = await client.query("select count(*)::int as messages from messages");
    return (rows[0] as { messages: number }).messages;
  } finally {
    await client.end();
  }
}

/** Starts another process of the installation. */
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
