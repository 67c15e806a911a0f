import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { BarePosts } from "./bare-undici.ts";
import { measureCost } from "./cost.ts";
import { type Contender, defineBench, type Measurement } from "./define.ts";
import { callApi, quantilesOf, sendAtRate } from "./pace.ts";
import { outputOf, startScript } from "./processes.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";
import type { Received } from "./webhook-receiver.ts";

const DELIVERIES = 15_000;
const CONNECTIONS = 64;
const EVENT_DATA = {
  message_id: "msg_01kz3v9qjxfcat7v5m8p2q4r6s",
  from: "+14155550123",
  to: "+14155552671",
  status: "sent",
  segments: 1,
};
/** Each message has two events: sent, then delivered. */
const MESSAGES_PER_SECOND = 100;
const TIMED_MS = 10_000;
const POLL_MS = 25;
const WAIT_MS_MAX = 60_000;

/** The complete path of a webhook: claim, sign, post, log, remove from the queue. */
export const bench = defineBench({
  title: "Webhooks",
  async rows(stage) {
    const server = await stage.server({ LONGWAVE_ALLOW_TARGETS: "127.0.0.1/32" });
    const receiver = await stage.webhookReceiver();
    return [
      {
        ours: await delivering(stage, server, receiver),
        other: posting(receiver),
        floor: 0.75,
      },
      {
        ours: await eventAges(server, receiver),
        p50MsMax: 50,
        p99MsMax: 250,
      },
    ];
  },
});

/** Measures the delivery of a queue of events for one endpoint. */
async function delivering(stage: Stage, server: Server, receiver: string): Promise<Contender> {
  const account = (await server.operator("POST", "/accounts", { name: "Deliveries" })) as {
    id: string;
  };
  const { key } = (await server.operator("POST", `/accounts/${account.id}/keys`, {
    mode: "test",
  })) as { key: string };
  await callApi(server, key, "POST", "/v1/webhooks", { url: `${receiver}/counted` });
  const client = new pg.Client(server.connection);
  await client.connect();
  stage.atEnd(() => client.end());
  return {
    name: "webhooks delivered",
    async measure() {
      await readReceived(receiver);
      await client.query("begin");
      await client.query(QUEUE_EVENTS, [DELIVERIES, JSON.stringify(EVENT_DATA)]);
      await client.query(
        "select pg_notify('longwave_events', 'bench ' || id) from accounts where name = 'Deliveries'",
      );
      const { result, cost } = await measureCost(
        server,
        () => untilDelivered(client, receiver),
        () => DELIVERIES,
      );
      return { ...result, cost };
    },
  };
}

/** Commits the queue and waits until all of it is delivered and logged. */
async function untilDelivered(client: pg.Client, receiver: string): Promise<Measurement> {
  await client.query("commit");
  const queuedMs = performance.now();
  let received = 0;
  await pollUntil(async () => {
    received += (await readReceived(receiver)).count;
    return received >= DELIVERIES;
  });
  await pollUntil(async () => (await client.query(QUEUED)).rows.length === 0);
  const seconds = (performance.now() - queuedMs) / 1_000;
  return { perSecond: DELIVERIES / seconds, errors: received - DELIVERIES };
}

const QUEUED = "select 1 from webhook_jobs limit 1";

/** Rows that the events' own transactions would write. */
const QUEUE_EVENTS = `
  with owner as (
    select a.shard, a.id, w.id as endpoint_id
      from accounts a join webhook_endpoints w on w.account_id = a.id where a.name = 'Deliveries'
  ), numbered as (
    update account_counters c set event_seq = event_seq + $1::int
      from owner o where c.account_id = o.id returning event_seq - $1::int as start
  ), written as (
    insert into events (shard, account_id, seq, id, type, mode, data, created_at)
    select o.shard, o.id, n.start + i, uuidv7(), 'message.sent', 'test', $2::json, statement_timestamp()
      from owner o, numbered n, generate_series(1, $1::int) i
    returning id
  )
  insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
  select o.shard, o.id, o.endpoint_id, w.id, statement_timestamp() from owner o, written w`;

/** Baseline: the same requests from a bare pool. */
function posting(receiver: string): Contender {
  const posts: BarePosts = {
    origin: receiver,
    path: "/counted",
    connections: CONNECTIONS,
    count: DELIVERIES,
    secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
    data: EVENT_DATA,
  };
  return {
    name: "bare undici pool, same signed requests",
    async measure() {
      return JSON.parse(await outputOf(startScript("bare-undici.ts", posts))) as Measurement;
    },
  };
}

/** Measures the age of events when their first byte reaches the receiver. */
async function eventAges(server: Server, receiver: string): Promise<Contender> {
  await callApi(server, server.testKey, "POST", "/v1/webhooks", { url: `${receiver}/timed` });
  return {
    name: `event to receiver, ${MESSAGES_PER_SECOND * 2} events/s`,
    async measure() {
      await readReceived(receiver);
      const startedMs = performance.now();
      const messages = await sendAtRate(server, MESSAGES_PER_SECOND, TIMED_MS);
      const agesMs: number[] = [];
      await pollUntil(async () => {
        agesMs.push(...(await readReceived(receiver)).agesMs);
        return agesMs.length >= messages * 2;
      });
      const seconds = (performance.now() - startedMs) / 1_000;
      return { perSecond: agesMs.length / seconds, errors: 0, ...quantilesOf(agesMs) };
    },
  };
}

async function readReceived(receiver: string): Promise<Received> {
  return (await (await fetch(receiver)).json()) as Received;
}

async function pollUntil(isDone: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  while (!(await isDone())) {
    if (performance.now() - startedMs > WAIT_MS_MAX) throw new Error("The queue never emptied.");
    await sleep(POLL_MS);
  }
}
