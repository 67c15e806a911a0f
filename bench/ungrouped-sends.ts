/**
 * Baseline of group commit: a Fastify that writes each message in its own transaction, ten at once, with the
 * statements and tables that the server uses for a group. It checks no key, rate limit or fields, so the
 * difference is the grouping.
 */
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fastify } from "fastify";
import type { ClientConfig } from "pg";
import type { AccountRow } from "../packages/server/src/account/accounts/index.ts";
import { type Database, openDatabase } from "../packages/server/src/core/db/driver/database.ts";
import { systemClock } from "../packages/server/src/core/platform/clock.ts";
import { createIds, fromApiId } from "../packages/server/src/core/platform/ids.ts";
import { KeyedLimiter } from "../packages/server/src/core/platform/keyed-limiter.ts";
import { createLog } from "../packages/server/src/core/platform/log.ts";
import { createMetrics } from "../packages/server/src/core/platform/metrics.ts";
import { createPeers } from "../packages/server/src/core/platform/peers/index.ts";
import { systemRandom } from "../packages/server/src/core/platform/random.ts";
import { presentMessage } from "../packages/server/src/messaging/messages/index.ts";
import {
  createAccountQueue,
  createMessageWriter,
  prepareSimulated,
} from "../packages/server/src/messaging/outbound/index.ts";

const TRANSACTIONS_MAX = 10;

interface Input {
  readonly connection: ClientConfig;
  readonly accountId: string;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

const { connection, accountId } = JSON.parse(await text(process.stdin)) as Input;
const clock = systemClock();
const ids = createIds(clock, systemRandom());
const metrics = createMetrics(clock);
/** No lane waits for due work here. */
const wakes = { wake() {}, wakeAt() {}, subscribe: () => () => {}, close() {} };
const transactionSlots = new KeyedLimiter({ concurrency: TRANSACTIONS_MAX });
const peers = createPeers({ classes: 1, build: "", clock, log: createLog({ level: "silent" }) });
const account = { id: fromApiId("account", accountId), shard: 0 } as AccountRow;

/** Databases that each run one transaction at a time, like connections of a pool. */
const free: Database[] = Array.from({ length: TRANSACTIONS_MAX }, () =>
  openDatabase({
    connection,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 10_000,
  }),
);
const waiting: ((db: Database) => void)[] = [];

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = free.pop() ?? (await new Promise<Database>((resolve) => waiting.push(resolve)));
  try {
    return await work(db);
  } finally {
    const next = waiting.shift();
    if (next) next(db);
    else free.push(db);
  }
}

const app = fastify({ logger: false });
app.post("/messages", async (request, reply) => {
  const given = request.body as Message;
  const outbound = { ...given, account, mode: "test", customerId: null, poolId: null } as const;
  const prepared = prepareSimulated({ clock, ids }, outbound);
  // A writer per message, so that nothing is grouped.
  const accepted = await withDatabase((db) =>
    createMessageWriter(
      { db, clock, ids, wakes },
      createAccountQueue({ db, metrics, transactionSlots, peers }),
    ).add(prepared),
  );
  return reply.code(accepted.verdict === "accepted" ? 201 : 500).send(presentMessage(prepared.row));
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`ready ${(app.server.address() as AddressInfo).port}`);
