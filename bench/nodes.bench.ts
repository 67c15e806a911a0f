import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { measureCost, ticksOf } from "./cost.ts";
import { type Check, defineBench } from "./define.ts";
import {
  carriersFile,
  LIVE_PREFIX,
  liveServer,
  messageBodies,
  SANDBOX_NUMBER,
  sending,
} from "./message-load.ts";
import { printed, ROOT, stop } from "./processes.ts";
import { type Server, startServer } from "./server.ts";
import type { Stage } from "./stage.ts";
import { sampleWaits } from "./waits.ts";

const COUNTS = [1, 2, 4, 8];
const ACCOUNTS = 8;
/** Clients of all accounts together. */
const CLIENTS = 384;
const SIMULATOR = { name: "sim", type: "simulator" };

/** An account with a key and a number to send from. */
interface Sender {
  readonly key: string;
  readonly from: string;
}

/**
 * - `spread`: one server with several processes; every account's clients connect to any of them.
 * - `apart`: several servers on one PostgreSQL; each account's clients connect to one of them.
 */
type Placement = "spread" | "apart";

interface Scene {
  readonly placement: Placement;
  readonly mode: "sandbox" | "live";
  readonly processes: number;
  readonly accounts: number;
}

const SCENES: readonly Scene[] = [
  ...(["sandbox", "live"] as const).flatMap((mode) =>
    (["spread", "apart"] as const).flatMap((placement) =>
      COUNTS.filter((processes) => placement === "spread" || processes > 1).map((processes) => ({
        placement,
        mode,
        processes,
        accounts: ACCOUNTS,
      })),
    ),
  ),
  { placement: "spread", mode: "sandbox", processes: 8, accounts: 1 },
];

/** Rate, cost and waits with 1 to 8 processes. Ratios depend on the number of cores, so no row has a limit. */
export const bench = defineBench({
  title: "Several processes on one PostgreSQL",
  isLong: true,
  async checks(stage) {
    const checks: Check[] = [];
    for (const scene of SCENES) {
      const check = { name: nameOf(scene), measured: await measure(stage, scene) };
      console.error(`  ${check.name}: ${check.measured}`);
      checks.push({ ...check, limit: "", holds: true });
    }
    return checks;
  },
});

function nameOf({ placement, mode, processes, accounts }: Scene): string {
  const of = accounts === 1 ? "one account" : `${accounts} accounts`;
  return `${mode}, ${processes} ${processes === 1 ? "process" : "processes"}, ${of} ${placement}`;
}

async function measure(stage: Stage, scene: Scene): Promise<string> {
  const ends: (() => Promise<void>)[] = [];
  const { server, urls, pids } = await startServers(stage, scene, ends);
  try {
    const senders = await Promise.all(
      Array.from({ length: scene.accounts }, (_, index) => openAccount(server, scene.mode, index)),
    );
    const loads = senders.flatMap(({ key, from }, index) => {
      const connections = Math.ceil(CLIENTS / scene.accounts);
      const url = urls[index % urls.length] as string;
      return sending(stage, {
        name: `${url} ${index}`,
        url: `${url}/v1/messages`,
        headers: { authorization: `Bearer ${key}` },
        bodies: messageBodies(from),
        connections,
      });
    });
    const waits = await sampleWaits(server.connection);
    const before = await countMessages(server);
    const work = async () => {
      const done = await Promise.all(loads.map((one) => one.measure()));
      const waited = await waits.end();
      const messages = (await countMessages(server)) - before;
      return { done, waited, messages };
    };
    const measured = { ...server, morePids: pids() };
    const { result, cost } = await measureCost(measured, work, ({ messages }) => messages);
    const rate = result.done.reduce((sum, one) => sum + one.perSecond, 0);
    const p99 = Math.max(...result.done.map(({ p99Ms }) => p99Ms ?? 0));
    const errors = result.done.reduce((sum, { errors: count }) => sum + (count ?? 0), 0);
    return [
      `${Math.round(rate)}/s`,
      `p99 ${p99.toFixed(1)} ms`,
      `Node.js ${Math.round(cost.nodeMicros)} µs`,
      `PostgreSQL ${Math.round(cost.postgresMicros)} µs`,
      `log ${(cost.walBytes / 1_000).toFixed(1)} KB`,
      result.waited,
      ...(errors > 0 ? [`${errors} errors`] : []),
    ].join(", ");
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

interface Started {
  readonly server: Server;
  readonly urls: readonly string[];
  /** Further server processes. */
  pids(): number[];
}

async function startServers(
  stage: Stage,
  { placement, processes }: Scene,
  ends: (() => Promise<void>)[],
): Promise<Started> {
  // Closed after the scene: the next one starts on a fresh database.
  const atEnd: Stage["atEnd"] = (close) => void ends.push(close);
  const own: Stage = { ...stage, atEnd, server: (env = {}) => startServer(env, atEnd) };
  const count = placement === "spread" ? processes : 1;
  const { server } = await liveServer(own, SIMULATOR, { LONGWAVE_PROCESSES: String(count) });
  if (placement === "spread") return { server, urls: [server.url], pids: () => apiPids(server) };
  const nodes: { url: string; child: ChildProcess }[] = [];
  while (nodes.length < processes - 1) nodes.push(await startNode(server, ends));
  return {
    server,
    urls: [server.url, ...nodes.map(({ url }) => url)],
    pids: () => nodes.map(({ child }) => child.pid ?? 0),
  };
}

/** Processes that a server with several of them has started. */
function apiPids(server: Server): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("main.js");
        return isOurs && ticksOf(pid).parent === server.pid();
      } catch {
        // The process ended meanwhile.
        return false;
      }
    });
}

async function openAccount(server: Server, mode: Scene["mode"], index: number): Promise<Sender> {
  const { id } = await server.operator<{ id: string }>("POST", "/accounts", {
    name: `Account ${index}`,
  });
  await server.operator("PATCH", `/accounts/${id}`, {
    live_access: "granted",
    daily_message_quota: 1_000_000_000,
    rate_limit: 1_000_000,
  });
  await server.operator("POST", `/accounts/${id}/credits`, { amount_usd: 100_000 });
  const { key } = await server.operator<{ key: string }>("POST", `/accounts/${id}/keys`, {
    mode: mode === "live" ? "live" : "test",
  });
  if (mode === "sandbox") {
    const { data } = await server.request<{ data: { phone_number: string }[] }>(
      "GET",
      "/v1/numbers/available?area_code=415",
      { key },
    );
    const from = data[0]?.phone_number ?? SANDBOX_NUMBER;
    await server.request("POST", "/v1/numbers", { key, body: { phone_number: from } });
    return { key, from };
  }
  const from = `${LIVE_PREFIX}${String(2_000 + index)}`;
  await server.operator("POST", "/inventory", {
    numbers: [{ phone_number: from, type: "toll_free" }],
  });
  await server.request("POST", "/v1/numbers", { key, body: { phone_number: from } });
  return { key, from };
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

/** Starts another server of the installation. */
async function startNode(
  server: Server,
  ends: (() => Promise<void>)[],
): Promise<{ url: string; child: ChildProcess }> {
  const folder = await mkdtemp(join(tmpdir(), "lw-bench-node-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const at = (user: string) =>
    `postgres://${user}@/longwave?host=${encodeURIComponent(String(server.connection.host))}`;
  const child = spawn(process.execPath, [join(ROOT, "packages/server/dist/main.js")], {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      LONGWAVE_DATA: folder,
      LONGWAVE_ROLES: "api",
      LONGWAVE_DATABASE_CONNECTIONS: "20",
      LONGWAVE_CARRIERS: carriersFile(SIMULATOR.name),
      LONGWAVE_SECRET_KEY: (await readFile(join(server.folder, "secret-key"), "utf8")).trim(),
      DATABASE_URL: at("longwave_app"),
      DATABASE_OWNER_URL: at("longwave_owner"),
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  ends.push(() => stop(child));
  const [, url = ""] = await printed(child, /^Longwave is ready at (http:\S+)$/m);
  return { url, child };
}
