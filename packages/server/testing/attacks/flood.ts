import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Target and means of an attack. */
export interface Target {
  readonly url: string;
  /** A valid key of the attacker's own account. */
  readonly key: string;
  /** Keys of all attacking accounts, `key` included. */
  readonly keys: readonly string[];
  /** URL of hostile-server.ts, which the attacker's webhooks and websites use. */
  readonly hostileUrl: string;
  readonly visit: Visit;
  readonly signal: AbortSignal;
  /** Called with the status of every response that is read. */
  met(status: number): void;
}

/** Session of a console user and the account that the user visits. */
export interface Visit {
  readonly cookie: string;
  readonly accountId: string;
}

export interface Flood {
  readonly connections: number;
  /** Bytes that every connection sends repeatedly; made once, unless `varies`. */
  readonly bytes: (target: Target) => Buffer | string;
  /** Calls `bytes` for every write. */
  readonly varies?: true;
  /** Whether responses are read. A client that does not read fills the server's buffers. */
  readonly reads?: boolean;
  /** Pause of a connection after each write. */
  readonly restMs?: number;
  /** Writes once, then keeps the connection open. */
  readonly once?: boolean;
  /** Local address to connect from. Each attack has one, because limits without a key count per address. */
  readonly from?: string;
}

const RECONNECT_MS = 20;

/** Keeps connections busy until the attack is stopped. */
export async function flood(target: Target, how: Flood): Promise<void> {
  const made = how.varies ? null : how.bytes(target);
  const sent = made === null ? () => how.bytes(target) : () => made;
  await Promise.all(Array.from({ length: how.connections }, () => keepBusy(target, how, sent)));
}

type Sent = () => Buffer | string;

async function keepBusy(target: Target, how: Flood, sent: Sent): Promise<void> {
  while (!target.signal.aborted) {
    const socket = await open(target, how);
    if (socket === null) {
      await sleep(RECONNECT_MS);
      continue;
    }
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const end = () => socket.destroy();
    target.signal.addEventListener("abort", end, { once: true });
    if (how.reads !== false) socket.on("data", (chunk: Buffer) => countStatuses(chunk, target));
    await send(socket, target, how, sent, closed);
    target.signal.removeEventListener("abort", end);
    socket.destroy();
  }
}

const STATUS_LINE = "HTTP/1.1 ";

/** Counts the statuses in a chunk. A status line split over two chunks is not counted. */
function countStatuses(chunk: Buffer, { met }: Target): void {
  let at = chunk.indexOf(STATUS_LINE);
  while (at !== -1) {
    const from = at + STATUS_LINE.length;
    met(Number(chunk.toString("latin1", from, from + 3)));
    at = chunk.indexOf(STATUS_LINE, from);
  }
}

async function send(
  socket: Socket,
  target: Target,
  how: Flood,
  sent: Sent,
  closed: Promise<void>,
): Promise<void> {
  while (!socket.destroyed && !target.signal.aborted) {
    const isTaken = socket.write(sent());
    if (how.once) {
      await closed;
      return;
    }
    if (!isTaken) {
      const drained = new Promise<void>((resolve) => socket.once("drain", () => resolve()));
      await Promise.race([drained, closed]);
    }
    await sleep(how.restMs ?? 0);
  }
}

function open({ url }: Target, { from }: Flood): Promise<Socket | null> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host, ...(from ? { localAddress: from } : {}) });
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(null));
    socket.on("error", () => {});
  });
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: string | Buffer;
  /** Media type of the body; JSON by default. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of bytes at the end of the body that are never sent. */
  readonly withheld?: number;
}

/** Serializes a request. */
export function wire(request: Request): Buffer {
  const body = Buffer.from(request.body ?? "");
  const lines = [
    `${request.method ?? "GET"} ${request.path} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...(request.key === undefined ? [] : [`Authorization: Bearer ${request.key}`]),
    ...Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(request.body === undefined
      ? []
      : [`Content-Type: ${request.type ?? "application/json"}`, `Content-Length: ${body.length}`]),
  ];
  const sent = body.subarray(0, body.length - (request.withheld ?? 0));
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), sent]);
}

/** Repeats a request, pipelined on one connection. */
export function pipelined(count: number, request: Request): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => wire(request)));
}
