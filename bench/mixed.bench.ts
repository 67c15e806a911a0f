import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Check, defineBench, type Measurement } from "./define.ts";
import { sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import { spreadOf } from "./table.ts";
import type { Received } from "./webhook-receiver.ts";

const MESSAGES_PER_SECOND = 200;
/** Events of a sandbox message: sent, and delivered a second later. */
const EVENTS_PER_MESSAGE = 2;
const ENDPOINTS = 3;
const LONG_POLLS = 30;
const LONG_POLL_SECONDS = 25;
const RUN_MS = 300_000;
const SEND_P99_MS_MAX = 150;
/** Time until Node's heap has grown to the size of the load. */
const SETTLING_MS = 60_000;
/** Window of readings at start and end, because garbage collection makes single readings jump. */
const WINDOW_MS = 30_000;
const READING_MS = 1_000;
const MEMORY_CHANGE_MAX = 0.2;
const FILES_MORE_MAX = 10;
/** Maximum time until the last event has reached every endpoint and long poll. */
const DELIVERED_MS_MAX = 30_000;
const MB = 1024 * 1024;

interface Reading {
  readonly rss: number;
  readonly openFiles: number;
}

interface EventsPage {
  readonly data: readonly unknown[];
  readonly cursor: string;
}

/**
 * A typical load: messages at a steady rate in an open loop, each event posted to three endpoints and
 * returned to thirty long polls, all in one account, which shares one lock.
 */
export const bench = defineBench({
  title: "Messages, webhooks and long polls at once",
  isLong: true,
  async checks(stage) {
    const server = await stage.server({
      LOG_LEVEL: "error",
      LONGWAVE_ALLOW_TARGETS: "127.0.0.1/32",
    });
    const receiver = await stage.webhookReceiver();
    for (let slot = 1; slot <= ENDPOINTS; slot += 1) {
      const body = { url: `${receiver}/counted/${slot}` };
      await server.request("POST", "/v1/webhooks", { body });
    }
    const over = new AbortController();
    setMaxListeners(LONG_POLLS, over.signal);
    const { cursor } = await waitForEvents(server, "?timeout=0", over.signal);
    const eventsPerPoll: number[] = new Array(LONG_POLLS).fill(0);
    const polls = eventsPerPoll.map((_, index) =>
      follow(server, cursor, over.signal, (events) => {
        eventsPerPoll[index] = (eventsPerPoll[index] ?? 0) + events;
      }),
    );
    const sending = sandboxSending(stage, server, "POST /v1/messages", {
      perSecond: () => MESSAGES_PER_SECOND,
      measureMs: RUN_MS,
    }).measure();
    await sleep(SETTLING_MS);
    const start = await readFor(server, WINDOW_MS);
    await sleep(RUN_MS - SETTLING_MS - 2 * WINDOW_MS);
    const end = await readFor(server, WINDOW_MS);
    const sent = await sending;
    const events = EVENTS_PER_MESSAGE * (await countMessages(server));
    const posted = await untilDelivered(receiver, eventsPerPoll, events);
    over.abort();
    await Promise.all(polls);
    return [
      sendCheck(sent),
      memoryCheck(start.rss, end.rss),
      filesCheck(start.openFiles, end.openFiles),
      {
        name: `Events to ${LONG_POLLS} long polls and ${ENDPOINTS} endpoints`,
        measured: `${Math.min(...eventsPerPoll)}..${Math.max(...eventsPerPoll)} and ${posted / ENDPOINTS} of ${events}`,
        limit: "each event once, to all",
        holds: eventsPerPoll.every((count) => count === events) && posted === events * ENDPOINTS,
      },
    ];
  },
});

/** Follows the event log from cursor to cursor, as clients do. */
async function follow(
  server: Server,
  start: string,
  over: AbortSignal,
  onEvents: (count: number) => void,
): Promise<void> {
  let cursor = start;
  while (!over.aborted) {
    const query = `?timeout=${LONG_POLL_SECONDS}&cursor=${cursor}`;
    const waited = await waitForEvents(server, query, over).catch((error: unknown) => {
      if (over.aborted) return null;
      throw error;
    });
    if (waited === null) return;
    onEvents(waited.data.length);
    cursor = waited.cursor;
  }
}

async function waitForEvents(
  server: Server,
  query: string,
  over: AbortSignal,
): Promise<EventsPage> {
  // A separate signal per call: fetch keeps listening to its signal until it is collected.
  const call = new AbortController();
  const stop = () => call.abort();
  over.addEventListener("abort", stop, { once: true });
  try {
    const answer = await fetch(`${server.url}/v1/events/wait${query}`, {
      headers: { authorization: `Bearer ${server.testKey}` },
      signal: call.signal,
    });
    if (!answer.ok) throw new Error(`A long poll: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as EventsPage;
  } finally {
    over.removeEventListener("abort", stop);
  }
}

/** Counts stored messages: the load does not wait for its last responses. */
async function countMessages(server: Server): Promise<number> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    const { rows } = await client.query("select count(*)::int as messages from messages");
    return (rows[0] as { messages: number }).messages;
  } finally {
    await client.end();
  }
}

async function untilDelivered(
  receiver: string,
  eventsPerPoll: readonly number[],
  events: number,
): Promise<number> {
  let posted = 0;
  for (let waitedMs = 0; waitedMs < DELIVERED_MS_MAX; waitedMs += READING_MS) {
    posted += ((await (await fetch(receiver)).json()) as Received).count;
    if (posted >= events * ENDPOINTS && eventsPerPoll.every((count) => count >= events)) break;
    await sleep(READING_MS);
  }
  return posted;
}

async function readFor(server: Server, ms: number): Promise<Reading> {
  const readings: Reading[] = [];
  for (let passed = 0; passed < ms; passed += READING_MS) {
    readings.push({
      rss: await server.metric("process_resident_memory_bytes"),
      openFiles: await server.metric("process_open_fds"),
    });
    await sleep(READING_MS);
  }
  return {
    rss: spreadOf(readings.map((reading) => reading.rss)).median,
    openFiles: spreadOf(readings.map((reading) => reading.openFiles)).high,
  };
}

function sendCheck(sent: Measurement): Check {
  const { perSecond, errors, p50Ms = Number.NaN, p99Ms = Number.NaN, cost } = sent;
  const takes = `${cost?.nodeMicros.toFixed(0)} µs Node and ${cost?.postgresMicros.toFixed(0)} µs PostgreSQL a message`;
  return {
    name: `POST /v1/messages at ${MESSAGES_PER_SECOND}/s for ${RUN_MS / 60_000} minutes, open loop`,
    measured: `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${errors} errors; ${takes}`,
    limit: `p99 ≤ ${SEND_P99_MS_MAX} ms, no errors`,
    holds: p99Ms <= SEND_P99_MS_MAX && errors === 0 && perSecond > MESSAGES_PER_SECOND * 0.99,
  };
}

function memoryCheck(start: number, end: number): Check {
  return {
    name: "Resident memory meanwhile",
    measured: `${(start / MB).toFixed(0)} → ${(end / MB).toFixed(0)} MB`,
    limit: `±${MEMORY_CHANGE_MAX * 100} %`,
    holds: Math.abs(end / start - 1) <= MEMORY_CHANGE_MAX,
  };
}

function filesCheck(start: number, end: number): Check {
  return {
    name: "Open files meanwhile, at most",
    measured: `${start} → ${end}`,
    limit: `at most ${FILES_MORE_MAX} more`,
    holds: end <= start + FILES_MORE_MAX,
  };
}
