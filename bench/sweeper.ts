/** Sweeps what is past its time, as the periodic work does, again and again until it is stopped. */
import { text } from "node:stream/consumers";
import type pg from "pg";
import { openDatabase } from "../packages/server/src/db/database.ts";
import { sweepExpired } from "../packages/server/src/db/retention.ts";
import { systemClock } from "../packages/server/src/platform/clock.ts";

const { connection } = JSON.parse(await text(process.stdin)) as { connection: pg.ClientConfig };
const db = openDatabase({ connection, statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 });
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());
console.log("ready");
while (!stopping.signal.aborted) {
  await sweepExpired({ db, clock: systemClock(), shards: 1 }, stopping.signal);
}
await db.close();
