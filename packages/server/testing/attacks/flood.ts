import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Whom an attack is made on, and with what. */
export interface Target {
  readonly url: string;
  /** A valid key of the attacker's own account. */
  readonly key: string;
  /** The same of several accounts that are in league, the first of them included. */
  readonly keys: readonly string[];
  /** A server that the attacker's own addresses may lead to: hostile-server.ts. */
  readonly trapUrl: string;
  readonly visit: Visit;
  readonly signal: AbortSignal;
  /** Is told the status of every answer that is read. */
  met(status: number): void;
}

/** Somebody signed in to the console, and the account that they look at. */
export interface Visit {
  readonly cookie: string;
  readonly accountId: string;
}

export interface Flood {
  readonly connections: number;
  /** What every connection sends again and again: made once, so that the attacker is quick. */
  readonly bytes: (target: Target) => Buffer | string;
  /** It must be another each time, and is made anew. */
  readonly varies?: true;
  /** Whether answers are read; a client that does not read keeps the server's buffers full. */
  readonly reads?: boolean;
  /** How long a connection rests after each sending. */
  readonly restMs?: number;
  /** Sends once and then only holds the connection open. */
  readonly once?: boolean;
  /** Another address of this machine: what one may do without a key may be used up by an attack before. */
  readonly from?: string;
}

const RECONNECT_MS = 20;

/** Keeps so many connections busy until the attack is called off. */
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
    if (how.reads !== false) socket.on("data", (chunk: Buffer) => tellStatuses(chunk, target));
    await send(socket, target, how, sent, closed);
    target.signal.removeEventListener("abort", end);
    socket.destroy();
  }
}

const STATUS_LINE = "HTTP/1.1 ";

/** A line that is cut in two is not told: there are many. */
function tellStatuses(chunk: Buffer, { met }: Target): void {
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
  /** Of the body; JSON unless given. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body that never come. */
  readonly withheld?: number;
}

/** A request as it goes over the wire. */
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

/** The same request many times, one behind the other on one connection. */
export function pipelined(count: number, request: Request): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => wire(request)));
}
