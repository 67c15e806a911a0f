/**
 * Load generator: a separate process that keeps a fixed number of connections busy, with one request at a
 * time on each, and times every response. It speaks HTTP over plain sockets, because a client library takes
 * as much processor time as the servers it measures on the same machine.
 */
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";

/** Target and requests of a load; read as JSON from standard input. */
export interface Load {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly statuses: readonly number[];
  /** Complete requests, sent round robin. */
  readonly requests: readonly string[];
  /** Index of the first request; 0 by default. */
  readonly first?: number;
  /**
   * Open loop: requests start at this rate whether or not earlier ones are complete, and latencies count from
   * the intended start, so queueing shows. Without it, each connection sends after its response.
   */
  readonly perSecond?: number;
}

/** Result of a load; written as JSON to standard output. */
export interface LoadResult {
  readonly answers: number;
  /** Responses including those of the warm-up and those after the measurement. */
  readonly allAnswers: number;
  readonly errors: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Index of the next request. */
  readonly next: number;
}

const LATENCIES_MAX = 2_000_000;
const HEAD_END = "\r\n\r\n";

interface Counts {
  answers: number;
  allAnswers: number;
  errors: number;
  isMeasuring: boolean;
  isOver: boolean;
  readonly latenciesMs: Float64Array;
}

async function run(load: Load): Promise<LoadResult> {
  const counts: Counts = {
    answers: 0,
    allAnswers: 0,
    errors: 0,
    isMeasuring: false,
    isOver: false,
    latenciesMs: new Float64Array(LATENCIES_MAX),
  };
  const requests = load.requests.map((request) => Buffer.from(request));
  let nextIndex = load.first ?? 0;
  const next = () => {
    const request = requests[nextIndex] as Buffer;
    nextIndex = (nextIndex + 1) % requests.length;
    return request;
  };
  if (load.perSecond === undefined) {
    for (let opened = 0; opened < load.connections; opened += 1) drive(load, next, counts);
  } else driveOpen(load, load.perSecond, next, counts);
  await pause(load.warmUpMs);
  counts.isMeasuring = true;
  const startedMs = performance.now();
  await pause(load.measureMs);
  counts.isOver = true;
  const seconds = (performance.now() - startedMs) / 1_000;
  const measured = Math.min(counts.answers, LATENCIES_MAX);
  const latencies = counts.latenciesMs.subarray(0, measured).sort();
  const quantile = (part: number) => latencies[Math.floor(measured * part)] ?? Number.NaN;
  return {
    answers: counts.answers,
    allAnswers: counts.allAnswers,
    errors: counts.errors,
    seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    next: nextIndex,
  };
}

/** Interval at which due requests are started, well below any latency of interest. */
const START_INTERVAL_MS = 1;

/**
 * Starts requests at a steady rate on the connection idle for longest: the server closes connections that
 * stay idle, and a request written to one would be lost.
 */
function driveOpen(load: Load, perSecond: number, next: () => Buffer, counts: Counts): void {
  const free: ((intendedMs: number) => void)[] = [];
  const waiting: number[] = [];
  const release = (send: (intendedMs: number) => void) => {
    const intendedMs = waiting.shift();
    if (intendedMs === undefined) free.push(send);
    else send(intendedMs);
  };
  for (let opened = 0; opened < load.connections; opened += 1) {
    openConnection(load, next, counts, release);
  }
  const startedMs = performance.now();
  let started = 0;
  const timer = setInterval(() => {
    if (counts.isOver) return clearInterval(timer);
    const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1_000);
    for (; started < due; started += 1) {
      const intendedMs = startedMs + (started * 1_000) / perSecond;
      const send = free.shift();
      if (send) send(intendedMs);
      else waiting.push(intendedMs);
    }
  }, START_INTERVAL_MS);
}

/** A connection that sends one request at a time, when `send` is called. */
function openConnection(
  load: Load,
  next: () => Buffer,
  counts: Counts,
  release: (send: (intendedMs: number) => void) => void,
): void {
  const socket = connect({ host: load.host, port: load.port, noDelay: true });
  let received = "";
  let intendedAtMs = 0;
  const send = (intendedMs: number) => {
    intendedAtMs = intendedMs;
    socket.write(next());
  };
  socket.on("connect", () => release(send));
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    const answer = parseAnswer(received);
    if (!answer) return;
    received = "";
    counts.allAnswers += 1;
    if (counts.isOver) return socket.destroy();
    if (counts.isMeasuring) count(counts, load.statuses.includes(answer.status), intendedAtMs);
    if (!answer.isLast) return release(send);
    socket.destroy();
    openConnection(load, next, counts, release);
  });
  socket.on("error", () => {
    if (!counts.isOver) counts.errors += 1;
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Keeps one connection busy; reconnects when the server closes it. */
function drive(load: Load, next: () => Buffer, counts: Counts): void {
  const socket = connect({ host: load.host, port: load.port, noDelay: true });
  let received = "";
  let sentMs = 0;
  const send = () => {
    sentMs = performance.now();
    socket.write(next());
  };
  const onAnswer = (answer: ParsedAnswer) => {
    counts.allAnswers += 1;
    if (counts.isOver) {
      socket.destroy();
      return;
    }
    if (counts.isMeasuring) count(counts, load.statuses.includes(answer.status), sentMs);
    if (answer.isLast) reopen(socket, load, next, counts);
    else send();
  };
  socket.on("connect", send);
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    const answer = parseAnswer(received);
    if (!answer) return;
    received = "";
    onAnswer(answer);
  });
  socket.on("error", () => {
    if (counts.isOver) return;
    counts.errors += 1;
    setTimeout(() => reopen(socket, load, next, counts), 50);
  });
}

function reopen(socket: Socket, load: Load, next: () => Buffer, counts: Counts): void {
  socket.removeAllListeners("error");
  socket.on("error", () => {});
  socket.destroy();
  if (!counts.isOver) drive(load, next, counts);
}

function count(counts: Counts, isExpected: boolean, sentMs: number): void {
  if (!isExpected) counts.errors += 1;
  if (counts.answers < LATENCIES_MAX)
    counts.latenciesMs[counts.answers] = performance.now() - sentMs;
  counts.answers += 1;
}

interface ParsedAnswer {
  readonly status: number;
  /** True if the server closes the connection after this response. */
  readonly isLast: boolean;
}

/** Parses a response once it is complete. Supports only responses with a content-length. */
function parseAnswer(received: string): ParsedAnswer | null {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = received.slice(0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  if (!length) throw new Error(`An answer without a length: ${head}`);
  if (received.length < headEnd + HEAD_END.length + Number(length[1])) return null;
  return { status: Number(head.slice(9, 12)), isLast: /\r\nconnection: close/i.test(head) };
}

const load = JSON.parse(await text(process.stdin)) as Load;
console.log(JSON.stringify(await run(load)));
process.exit(0);
