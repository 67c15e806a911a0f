import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Check, defineBench, type Measurement } from "./define.ts";
import { sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import { spreadOf } from "./table.ts";
import type { Received } from "./webhook-receiver.ts";

const TEXTS_PER_SECOND = 200;
/** Sent, and delivered a second later. */
const EVENTS_PER_TEXT = 2;
const ENDPOINTS = 3;
const LONG_POLLS = 30;
const LONG_POLL_SECONDS = 25;
const RUN_MS = 300_000;
const SEND_P99_MS_MAX = 150;
/** Node lets its heap grow to what the load needs; that is over by then. */
const SETTLING_MS = 60_000;
/** The beginning and the end are medians over this long: garbage collection makes single readings jump. */
const WINDOW_MS = 30_000;
const READING_MS = 1_000;
const MEMORY_CHANGE_MAX = 0.2;
const FILES_MORE_MAX = 10;
/** Until the last receipt has come and everybody has been told of it. */
const TOLD_MS_MAX = 30_000;
const MB = 1024 * 1024;

interface Reading {
  readonly rss: number;
  readonly openFiles: number;
}

interface Waited {
  readonly data: readonly unknown[];
  readonly cursor: string;
}

/**
 * What an installation does all day, at once: texts at a steady rate, whether or not those before are
 * answered; every event of them posted to three endpoints and told to thirty clients that wait. All in
 * one account, whose lock they share.
 */
export const bench = defineBench({
  title: "Texts, webhooks and long polls at once",
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
    const told: number[] = new Array(LONG_POLLS).fill(0);
    const polls = told.map((_, index) =>
      follow(server, cursor, over.signal, (events) => {
        told[index] = (told[index] ?? 0) + events;
      }),
    );
    const sending = sandboxSending(stage, server, "POST /v1/messages", {
      perSecond: () => TEXTS_PER_SECOND,
      measureMs: RUN_MS,
    }).measure();
    await sleep(SETTLING_MS);
    const start = await readFor(server, WINDOW_MS);
    await sleep(RUN_MS - SETTLING_MS - 2 * WINDOW_MS);
    const end = await readFor(server, WINDOW_MS);
    const sent = await sending;
    const events = EVENTS_PER_TEXT * (await storedTexts(server));
    const posted = await everythingTold(receiver, told, events);
    over.abort();
    await Promise.all(polls);
    return [
      sendCheck(sent),
      memoryCheck(start.rss, end.rss),
      filesCheck(start.openFiles, end.openFiles),
      {
        name: `Events told to ${LONG_POLLS} long polls and ${ENDPOINTS} endpoints`,
        measured: `${Math.min(...told)}..${Math.max(...told)} and ${posted / ENDPOINTS} of ${events}`,
        limit: "each of them once, to everybody",
        holds: told.every((count) => count === events) && posted === events * ENDPOINTS,
      },
    ];
  },
});

/** From cursor to cursor, as a client that follows the log does. */
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

async function waitForEvents(server: Server, query: string, over: AbortSignal): Promise<Waited> {
  // A signal of its own: fetch keeps listening to the one it was given until that is collected.
  const call = new AbortController();
  const stop = () => call.abort();
  over.addEventListener("abort", stop, { once: true });
  try {
    const answer = await fetch(`${server.url}/v1/events/wait${query}`, {
      headers: { authorization: `Bearer ${server.testKey}` },
      signal: call.signal,
    });
    if (!answer.ok) throw new Error(`A long poll: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Waited;
  } finally {
    over.removeEventListener("abort", stop);
  }
}

/** As the database has them: the load does not wait for the answers of the last moment. */
async function storedTexts(server: Server): Promise<number> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    const { rows } = await client.query("select count(*)::int as texts from messages");
    return (rows[0] as { texts: number }).texts;
  } finally {
    await client.end();
  }
}

async function everythingTold(
  receiver: string,
  told: readonly number[],
  events: number,
): Promise<number> {
  let posted = 0;
  for (let waitedMs = 0; waitedMs < TOLD_MS_MAX; waitedMs += READING_MS) {
    posted += ((await (await fetch(receiver)).json()) as Received).count;
    if (posted >= events * ENDPOINTS && told.every((count) => count >= events)) break;
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
  const takes = `${cost?.nodeMicros.toFixed(0)} µs Node and ${cost?.postgresMicros.toFixed(0)} µs PostgreSQL a text`;
  return {
    name: `POST /v1/messages at ${TEXTS_PER_SECOND}/s for ${RUN_MS / 60_000} minutes, open loop`,
    measured: `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${errors} errors; ${takes}`,
    limit: `p99 ≤ ${SEND_P99_MS_MAX} ms, no errors`,
    holds: p99Ms <= SEND_P99_MS_MAX && errors === 0 && perSecond > TEXTS_PER_SECOND * 0.99,
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
