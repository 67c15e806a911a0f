/**
 * Makes races likely. Incoming data on a socket (rows, notifications, answers, PDUs) is delayed and split at random,
 * in order per socket; some sockets are always late; timers are late; the event loop stalls now and then. No protocol
 * promises an order between sockets.
 *
 * NODE_OPTIONS="--import=$PWD/scripts/jitter.mjs" npm test -- core/queue
 *
 * LONGWAVE_JITTER_SEED=n repeats the same delays. The seeds are in jitter-seeds-*.log of the temporary folder.
 */
import { appendFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

const LATE_PART = 0.2;
const LATE_MS_MAX = 40;
const SLOW_SOCKETS_PART = 0.15;
const SLOW_MS_MIN = 15;
const SLOW_MS_MAX = 75;
const CUT_PART = 0.3;
const CUT_APART_MS_MAX = 5;
const TIMER_SLIP_MS_MAX = 8;
const STALL_MS_MAX = 25;
const STALL_EVERY_MS_MIN = 50;
const STALL_EVERY_MS_MAX = 450;
const START_MS_MAX = 150;

/** Programs that only prepare the tests: slowing them down finds nothing. */
const TOOLS = /\b(?:npm|npx|tsc|biome|esbuild)\b|scripts\/(?:test|run-tests|build|generate|check)/;

/** Mulberry32: small, and random enough for delays. */
function randomOf(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seed = Number(process.env.LONGWAVE_JITTER_SEED ?? (Date.now() ^ (process.pid * 7_919)) >>> 0);
const random = randomOf(seed);
const between = (min, max) => min + random() * (max - min);
const later = setTimeout;
const block = (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function delaySockets() {
  const { push } = net.Socket.prototype;
  const lines = new WeakMap();
  /** Sockets with a pending timer for their next chunk. */
  const awaited = new WeakSet();
  const lineOf = (socket) => {
    const known = lines.get(socket);
    if (known) return known;
    const lagMs = random() < SLOW_SOCKETS_PART ? between(SLOW_MS_MIN, SLOW_MS_MAX) : 0;
    const line = { waiting: [], lagMs };
    lines.set(socket, line);
    return line;
  };
  const serve = (socket, line) => {
    awaited.delete(socket);
    for (;;) {
      const [next] = line.waiting;
      if (next === undefined) return;
      const leftMs = next.atMs - performance.now();
      if (leftMs > 0) {
        awaited.add(socket);
        later(() => serve(socket, line), leftMs);
        return;
      }
      line.waiting.shift();
      if (socket.destroyed) continue;
      push.call(socket, next.chunk, next.encoding);
      // As Node does after an end: a read makes the stream emit it.
      if (next.chunk === null) socket.read(0);
    }
  };
  net.Socket.prototype.push = function pushLate(chunk, encoding) {
    const line = lineOf(this);
    const isLate = line.lagMs > 0 || random() < LATE_PART;
    if (!isLate && line.waiting.length === 0) return push.call(this, chunk, encoding);
    const lateMs = isLate ? line.lagMs + random() * LATE_MS_MAX : 0;
    const atMs = Math.max(line.waiting.at(-1)?.atMs ?? 0, performance.now() + lateMs);
    if (chunk !== null && chunk.length > 1 && random() < CUT_PART) {
      const cut = Math.ceil(between(0, chunk.length - 1));
      const restAtMs = atMs + random() * CUT_APART_MS_MAX;
      line.waiting.push({ atMs, chunk: chunk.subarray(0, cut), encoding });
      line.waiting.push({ atMs: restAtMs, chunk: chunk.subarray(cut), encoding });
    } else line.waiting.push({ atMs, chunk, encoding });
    if (!awaited.has(this)) serve(this, line);
    return true;
  };
}

function slipTimers() {
  const slipping = function setTimeout(call, ms, ...given) {
    const isLate = typeof ms === "number" && random() < LATE_PART;
    return later(call, isLate ? ms + random() * TIMER_SLIP_MS_MAX : ms, ...given);
  };
  for (const name of Object.getOwnPropertySymbols(later)) {
    Object.defineProperty(slipping, name, Object.getOwnPropertyDescriptor(later, name));
  }
  globalThis.setTimeout = slipping;
}

function stallNowAndThen() {
  later(
    () => {
      block(random() * STALL_MS_MAX);
      stallNowAndThen();
    },
    between(STALL_EVERY_MS_MIN, STALL_EVERY_MS_MAX),
  ).unref();
}

if (isMainThread && !TOOLS.test(process.argv[1] ?? "")) {
  const line = `${new Date().toISOString()} ${process.pid} ${seed} ${process.argv[1] ?? ""}\n`;
  // Some tests run as a user that may not write another user's file.
  appendFileSync(join(tmpdir(), `jitter-seeds-${process.getuid?.() ?? 0}.log`), line);
  delaySockets();
  slipTimers();
  stallNowAndThen();
  block(random() * START_MS_MAX);
}
