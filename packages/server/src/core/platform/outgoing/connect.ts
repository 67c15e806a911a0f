/**
 * Opens one connection to a destination with checked addresses. Nothing is resolved here. The address of the
 * connected socket is checked again before a byte is written.
 */
import { type Socket, connect as tcpConnect } from "node:net";
import { type SecureContext, connect as tlsConnect } from "node:tls";
import { canonicalAddress } from "./addresses.ts";
import { BlockedTargetError } from "./failure.ts";
import type { OutboundProxy } from "./proxy.ts";
import { Stop, StoppedError } from "./stop.ts";

export interface Destination {
  /** `https://host:port`, the key under which connections are kept for reuse. */
  readonly origin: string;
  readonly secure: boolean;
  /** Name or address without brackets; the certificate must be issued for it. */
  readonly host: string;
  readonly port: number;
  /** Canonical spellings, all of them checked. */
  readonly addresses: readonly string[];
  /** The operator allowed this host and port, whatever its address. */
  readonly hostAllowed: boolean;
  /** Bypasses the proxy: private targets that the operator allowed are on the local network. */
  readonly direct: boolean;
}

export interface Connected {
  readonly socket: Socket;
  /** The destination's address that this connection reached. */
  readonly address: string;
}

export interface ConnectOptions {
  readonly secureContext: SecureContext;
  readonly proxy: OutboundProxy | null;
  /** Reason why an address must not be reached, or null. */
  readonly addressProblem: (address: string, hostAllowed: boolean) => string | null;
}

/** Delay before the next address is tried beside the first (happy eyeballs; RFC 8305 suggests 250 ms). */
const NEXT_ADDRESS_AFTER_MS = 250;
const TCP_KEEP_ALIVE_MS = 30_000;

export async function connect(
  options: ConnectOptions,
  destination: Destination,
  stop: Stop,
): Promise<Connected> {
  const { socket, address } = await openTcp(options, destination, stop);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  if (!destination.secure) return { socket, address };
  return { socket: await startTls(socket, destination.host, options.secureContext, stop), address };
}

function openTcp(
  options: ConnectOptions,
  destination: Destination,
  stop: Stop,
): Promise<Connected> {
  const { addresses, port, hostAllowed, direct } = destination;
  const proxy = direct ? null : options.proxy;
  const problemOf = (address: string): string | null =>
    options.addressProblem(address, hostAllowed);
  return firstToConnect(addresses, stop, async (address, attempt) => {
    const problem = problemOf(address);
    if (problem !== null) throw new BlockedTargetError(problem);
    if (proxy !== null) return await proxy.tunnel(address, port, attempt);
    return await dial(address, port, problemOf, attempt);
  });
}

/** Tries the addresses in order, each beside those that have not answered yet; the first to connect wins. */
function firstToConnect(
  addresses: readonly string[],
  stop: Stop,
  open: (address: string, attempt: Stop) => Promise<Socket>,
): Promise<Connected> {
  const attempts = Stop.childOf(stop);
  return new Promise<Connected>((resolve, reject) => {
    let tried = 0;
    let failed = 0;
    let timer: NodeJS.Timeout | undefined;

    const tryNext = (): void => {
      clearTimeout(timer);
      const address = addresses[tried];
      if (attempts.reason !== null || address === undefined) return;
      tried += 1;
      if (tried < addresses.length) timer = setTimeout(tryNext, NEXT_ADDRESS_AFTER_MS);
      open(address, attempts).then(
        (socket) => {
          if (attempts.reason !== null) {
            // Too late: another address has won, or the request is over.
            socket.destroy();
            reject(new StoppedError(attempts.reason));
            return;
          }
          clearTimeout(timer);
          attempts.now("aborted");
          resolve({ socket, address });
        },
        (error: unknown) => {
          failed += 1;
          if (attempts.reason === null && failed < addresses.length) return tryNext();
          clearTimeout(timer);
          reject(error);
        },
      );
    };
    tryNext();
  }).finally(() => attempts.clear());
}

async function dial(
  address: string,
  port: number,
  problemOf: (address: string) => string | null,
  stop: Stop,
): Promise<Socket> {
  const socket = tcpConnect({ host: address, port });
  await untilEvent(socket, "connect", stop);
  // Nothing has been written yet. If the kernel connected us to another address, the connection ends here.
  const reached = canonicalAddress(socket.remoteAddress ?? "");
  if (reached !== address || problemOf(reached) !== null) {
    socket.destroy();
    throw new Error(`asked for ${address} but reached ${reached ?? "nobody"}`);
  }
  return socket;
}

async function startTls(
  socket: Socket,
  host: string,
  secureContext: SecureContext,
  stop: Stop,
): Promise<Socket> {
  const secured = tlsConnect({
    socket,
    // The certificate must be issued for this name, although an address was dialled.
    host,
    servername: canonicalAddress(host) === null ? host : "",
    secureContext,
    ALPNProtocols: ["http/1.1"],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch the check off.
    rejectUnauthorized: true,
  });
  await untilEvent(secured, "secureConnect", stop);
  return secured;
}

/** Waits for a socket's event; on an error or a stop the socket is destroyed and the promise rejects. */
function untilEvent(socket: Socket, event: "connect" | "secureConnect", stop: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      unregister();
      socket.destroy();
      reject(error);
    };
    const unregister = stop.onStop((reason) => fail(new StoppedError(reason)));
    // This listener stays: an idle socket may fail at any time, and an unhandled error would end the process.
    socket.on("error", fail);
    socket.once("close", () => fail(new Error(`closed before ${event}`)));
    socket.once(event, () => {
      unregister();
      resolve();
    });
  });
}
