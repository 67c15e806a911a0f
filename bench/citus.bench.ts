import { setTimeout as sleep } from "node:timers/promises";
import { findCitus, makeCitusDatabase, startCitus } from "../packages/server/testing/citus.ts";
import {
  type Server as Postgres,
  startServers,
} from "../packages/server/testing/postgres-servers.ts";
import type { Occasion } from "../packages/server/testing/program.ts";
import { AFTERMATH_MS, MICROS_PER_TICK, ticksOf, ticksOfFamily } from "./cost.ts";
import { type Check, defineBench } from "./define.ts";
import { CONNECTIONS, messageBodies, sending } from "./message-load.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";

const DATABASE = "longwave";
const SHARDS = "32";
const ROUNDS = 3;
/** Number of accounts, each on a random shard; all on one worker happens once in 32,768 runs. */
const ACCOUNTS = 16;
/** A number that every sandbox account may have. */
const FROM = "+14155550100";
/** Settings of a real installation: commits wait for the disk. */
const DURABLE = { fsync: "on", full_page_writes: "on" };

/** Processor time of a message in each part, on one PostgreSQL and on Citus with two workers. */
export const bench = defineBench({
  title: "One PostgreSQL and Citus",
  isLong: true,
  async checks(stage) {
    const found = await findCitus();
    if ("missing" in found) throw new Error(found.missing);
    const occasion = { after: (end) => stage.atEnd(end as () => Promise<void>) } as Occasion;
    const one = await startServers(occasion, found.bin, 1, { max_connections: "120" });
    const [single] = one.servers as [Postgres];
    await single.query("postgres", `create database ${DATABASE}`);
    const checks = [await measured(stage, "one PostgreSQL", [["PostgreSQL", single]])];
    const citus = await startCitus(occasion, found.bin, DURABLE);
    await makeCitusDatabase(citus, DATABASE);
    const [coordinator, first, second] = citus.servers as [Postgres, Postgres, Postgres];
    const parts: [string, Postgres][] = [
      ["coordinator", coordinator],
      ["worker 1", first],
      ["worker 2", second],
    ];
    return [...checks, await measured(stage, "Citus, two workers", parts)];
  },
});

/** Sends messages of several accounts, whose shards lie on both workers. */
async function measured(
  stage: Stage,
  name: string,
  parts: readonly [string, Postgres][],
): Promise<Check> {
  const port = parts[0]?.[1].port;
  const server = await stage.server({
    DATABASE_URL: `postgres://owner@127.0.0.1:${port}/${DATABASE}`,
    LONGWAVE_SHARDS: SHARDS,
    LOG_LEVEL: "error",
  });
  const keys: string[] = [];
  for (let number = 0; number < ACCOUNTS; number += 1) keys.push(await keyOfNew(server, number));
  const loads = keys.map((key) =>
    sending(stage, {
      name,
      url: `${server.url}/v1/messages`,
      headers: { authorization: `Bearer ${key}` },
      bodies: messageBodies(FROM),
      connections: CONNECTIONS / ACCOUNTS,
    }),
  );
  const round = async () => {
    const rates = await Promise.all(loads.map((load) => load.measure()));
    return rates.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  await round();
  const before = readTicks(server, parts);
  const messagesBefore = await countMessages(parts);
  let perSecond = 0;
  for (let count = 0; count < ROUNDS; count += 1) perSecond += (await round()) / ROUNDS;
  await sleep(AFTERMATH_MS);
  const after = readTicks(server, parts);
  const sent = (await countMessages(parts)) - messagesBefore;
  const costs = [...after].map(([part, ticks]) => {
    const micros = ((ticks - (before.get(part) ?? 0)) * MICROS_PER_TICK) / sent;
    return `${part} ${Math.round(micros)} µs`;
  });
  return {
    name,
    measured: `${Math.round(perSecond)} messages/s; a message takes ${costs.join(", ")}`,
    limit: "reported, without a limit",
    holds: true,
  };
}

async function keyOfNew(server: Server, number: number): Promise<string> {
  const name = `Account ${number}`;
  const { id } = await server.operator<{ id: string }>("POST", "/accounts", { name });
  await server.operator("PATCH", `/accounts/${id}`, { rate_limit: 1_000_000 });
  const path = `/accounts/${id}/keys`;
  const { key } = await server.operator<{ key: string }>("POST", path, { mode: "test" });
  await server.request("POST", "/v1/numbers", { key, body: { phone_number: FROM } });
  return key;
}

function readTicks(server: Server, parts: readonly [string, Postgres][]): Map<string, number> {
  return new Map([
    ["Node.js", ticksOf(server.pid()).own],
    ...parts.map(([name, { pid }]): [string, number] => [name, ticksOfFamily(pid())]),
  ]);
}

async function countMessages(parts: readonly [string, Postgres][]): Promise<number> {
  const rows = await parts[0]?.[1].query(DATABASE, "select count(*)::int as n from messages");
  return Number(rows?.[0]?.["n"]);
}
