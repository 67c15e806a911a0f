import { setTimeout as sleep } from "node:timers/promises";
import { findCitus, makeCitusDatabase, startCitus } from "../packages/server/testing/citus.ts";
import {
  type Server as Postgres,
  startServers,
} from "../packages/server/testing/postgres-servers.ts";
import type { Occasion } from "../packages/server/testing/program.ts";
import { AFTERMATH_MS, MICROS_PER_TICK, ticksOf, ticksOfFamily } from "./cost.ts";
import { type Check, defineBench } from "./define.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";
import { sending } from "./texts.ts";

const DATABASE = "longwave";
const SHARDS = "32";
const ROUNDS = 3;
/** As an installation would have it: commits wait for the disk. */
const DURABLE = { fsync: "on", full_page_writes: "on" };

/** What a text takes of each part, on one PostgreSQL and on a coordinator with two workers of Citus. */
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

/** Texts of one account, which is on one shard and so on one worker. */
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
  const headers = { authorization: `Bearer ${server.testKey}` };
  const load = sending(stage, { name, url: `${server.url}/v1/messages`, headers });
  await load.measure();
  const before = reading(server, parts);
  const texts = await countTexts(parts);
  let perSecond = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    perSecond += (await load.measure()).perSecond / ROUNDS;
  }
  await sleep(AFTERMATH_MS);
  const after = reading(server, parts);
  const sent = (await countTexts(parts)) - texts;
  const told = [...after].map(([part, ticks]) => {
    const micros = ((ticks - (before.get(part) ?? 0)) * MICROS_PER_TICK) / sent;
    return `${part} ${Math.round(micros)} µs`;
  });
  return {
    name,
    measured: `${Math.round(perSecond)} texts/s; a text takes ${told.join(", ")}`,
    limit: "told, not judged",
    holds: true,
  };
}

function reading(server: Server, parts: readonly [string, Postgres][]): Map<string, number> {
  return new Map([
    ["Node.js", ticksOf(server.pid()).own],
    ...parts.map(([name, { pid }]): [string, number] => [name, ticksOfFamily(pid())]),
  ]);
}

async function countTexts(parts: readonly [string, Postgres][]): Promise<number> {
  const rows = await parts[0]?.[1].query(DATABASE, "select count(*)::int as n from messages");
  return Number(rows?.[0]?.["n"]);
}
