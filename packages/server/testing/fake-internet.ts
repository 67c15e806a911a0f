/**
 * A small internet on the loopback interface, for tests of outgoing requests: 127.0.0.16 to 127.0.0.31 count
 * as public addresses; all others are checked as in production. Linux answers on all of 127.0.0.0/8.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import {
  type AddressCheck,
  checkPublicAddress,
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
} from "../src/core/platform/outgoing/index.ts";

export const PUBLIC_ADDRESS = "127.0.0.20";
export const OTHER_PUBLIC_ADDRESS = "127.0.0.21";
/** A public address without listeners. */
export const DEAD_PUBLIC_ADDRESS = "127.0.0.29";

const UNTIL_NO_SOCKETS_MS_MAX = 60_000;

const testAuthority = readFileSync(new URL("./tls/authority.pem", import.meta.url), "utf8");
export const receiverTls = {
  key: readFileSync(new URL("./tls/receiver-key.pem", import.meta.url)),
  cert: readFileSync(new URL("./tls/receiver.pem", import.meta.url)),
};

export const checkAllowingLoopback: AddressCheck = (address) =>
  /^127\.0\.0\.(1[6-9]|2\d|3[01])$/.test(address) ? null : checkPublicAddress(address);

/** Lifetime of what is started: a test, or `{ after }` of node:test for a whole file. */
export interface Scope {
  after(cleanUp: () => Promise<void> | void): void;
}

/** Outgoing client as in production, except for its public addresses and trusted certificates. */
export function createTestOutgoing(scope: Scope, options: Partial<OutgoingOptions> = {}): Outgoing {
  const outgoing = createOutgoing({
    now: () => performance.now(),
    userAgent: "Longwave-Test/1",
    checkAddress: checkAllowingLoopback,
    extraCa: testAuthority,
    ...options,
  });
  scope.after(() => outgoing.close());
  return outgoing;
}

export function post(url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    method: "POST",
    url,
    headers: ["content-type", "application/json"],
    body: '{"hello":"world"}',
    deadlineMs: 5_000,
    bodyBytesMax: 2_048,
    ...more,
  };
}

export interface Receiver {
  readonly port: number;
  readonly connectionCount: number;
  /** Currently open sockets. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves when the last socket is closed; rejects after a minute. */
  untilNoSockets(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an HTTPS (or HTTP) server that counts connections. */
export async function startReceiver(
  scope: Scope,
  listener: RequestListener,
  options: { address?: string; port?: number; plain?: boolean } = {},
): Promise<Receiver> {
  const server =
    options.plain === true ? createHttpServer(listener) : createHttpsServer(receiverTls, listener);
  return await listen(scope, server, options.address ?? PUBLIC_ADDRESS, options.port ?? 0);
}

/** Starts a bare TCP listener: a canary, or a server that breaks HTTP. */
export async function startListener(
  scope: Scope,
  onSocket: (socket: Socket) => void,
  options: { address?: string; port?: number } = {},
): Promise<Receiver> {
  return await listen(
    scope,
    createTcpServer(onSocket),
    options.address ?? PUBLIC_ADDRESS,
    options.port ?? 0,
  );
}

async function listen(
  scope: Scope,
  server: Server,
  address: string,
  port: number,
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const emptied = new EventEmitter();
  let connectionCount = 0;
  server.on("connection", (socket: Socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) emptied.emit("empty");
    });
  });
  server.listen(port, address);
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("not listening on a port");
  const receiver: Receiver = {
    port: bound.port,
    sockets,
    get connectionCount() {
      return connectionCount;
    },
    async untilNoSockets() {
      if (sockets.size === 0) return;
      await once(emptied, "empty", { signal: AbortSignal.timeout(UNTIL_NO_SOCKETS_MS_MAX) });
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  scope.after(receiver.close);
  return receiver;
}

/** Records every TCP connection that this process tries to open. */
export function watchConnectionAttempts(): {
  readonly addresses: string[];
  readonly sockets: Socket[];
  stop(): void;
} {
  const addresses: string[] = [];
  const sockets: Socket[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    sockets.push(socket);
    socket.on("connectionAttempt", (address: string) => addresses.push(address));
  };
  subscribe("net.client.socket", onSocket);
  return { addresses, sockets, stop: () => unsubscribe("net.client.socket", onSocket) };
}
