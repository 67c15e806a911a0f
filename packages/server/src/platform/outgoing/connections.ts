/**
 * Connections kept open for reuse. A connection is handed out again only for the same origin and only while the
 * address it leads to is among the addresses just judged: once the DNS answer no longer names it, it is closed.
 *
 * undici has pools of its own; they cannot ask that question per request, and they go on connecting for a caller
 * whose deadline has passed. One undici Client carries one connection here and is thrown away with it.
 */
import type { Socket } from "node:net";
import { type buildConnector, Client } from "undici";
import type { Connected, Destination } from "./connect.ts";
import { type Stop, StoppedError } from "./stop.ts";

export interface Connection {
  readonly origin: string;
  readonly address: string;
  readonly client: Client;
  readonly socket: Socket;
  readonly openedAtMs: number;
  /** Whether a request has been answered over it before. */
  reused: boolean;
}

export interface Connections {
  /**
   * An idle connection, at once; or a new one; waits when the limits are reached. `fresh`: never an
   * idle one.
   */
  acquire(destination: Destination, stop: Stop, fresh: boolean): Connection | Promise<Connection>;
  /** Gives a connection back. It is closed unless it is `reusable` and still open. */
  release(connection: Connection, reusable: boolean): void;
  readonly openCount: number;
  close(): void;
}

export interface ConnectionsOptions {
  readonly now: () => number;
  readonly connect: (destination: Destination, stop: Stop) => Promise<Connected>;
  readonly originConnectionsMax: number;
  readonly connectionsMax: number;
}

const CONNECTION_AGE_MS_MAX = 300_000;
/** Below the 5 s after which a Node.js server closes an idle connection, so that we rarely lose that race. */
const IDLE_MS_MAX = 4_000;
const HEADER_BYTES_MAX = 16_384;

interface Origin {
  readonly name: string;
  openCount: number;
  readonly idle: Connection[];
  readonly waiting: Set<Waiter>;
}

/** A request without a connection yet. */
interface Applicant {
  readonly destination: Destination;
  readonly fresh: boolean;
  readonly stop: Stop;
}

interface Waiter extends Applicant {
  readonly settle: (connection: Promise<Connection> | Connection) => void;
}

export function createConnections(options: ConnectionsOptions): Connections {
  return new ConnectionStore(options);
}

class ConnectionStore implements Connections {
  readonly #options: ConnectionsOptions;
  readonly #origins = new Map<string, Origin>();
  /** Oldest first, over all origins: the order in which connections make room for others. */
  readonly #idle = new Set<Connection>();
  /** Origins with waiting requests, served in turn so that a crowded one does not starve the rest. */
  readonly #crowded = new Set<Origin>();
  #openCount = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get openCount(): number {
    return this.#openCount;
  }

  acquire(destination: Destination, stop: Stop, fresh: boolean): Connection | Promise<Connection> {
    const origin = this.#origin(destination.origin);
    const applicant = { destination, stop, fresh };
    if (origin.waiting.size === 0) {
      const served = this.#serve(origin, applicant);
      if (served !== null) return served;
    }
    return this.#wait(origin, applicant);
  }

  release(connection: Connection, reusable: boolean): void {
    const origin = this.#origin(connection.origin);
    if (reusable && !connection.socket.destroyed) {
      connection.reused = true;
      if (this.#passOn(origin, connection)) return;
      origin.idle.push(connection);
      this.#idle.add(connection);
    } else {
      this.#discard(connection);
    }
    this.#serveNextWaiter();
  }

  close(): void {
    for (const connection of [...this.#idle]) this.#discard(connection);
  }

  #origin(name: string): Origin {
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const origin: Origin = { name, openCount: 0, idle: [], waiting: new Set() };
    this.#origins.set(name, origin);
    return origin;
  }

  /** A connection for this request if there is one to have now, or room to open one. */
  #serve(origin: Origin, applicant: Applicant): Promise<Connection> | Connection | null {
    const idle = applicant.fresh ? null : this.#takeIdle(origin, applicant.destination);
    if (idle !== null) return idle;
    const { originConnectionsMax, connectionsMax } = this.#options;
    if (origin.openCount >= originConnectionsMax && !this.#evict(origin.idle[0])) return null;
    if (this.#openCount >= connectionsMax && !this.#evict(this.#oldestIdle())) return null;
    return this.#open(origin, applicant.destination, applicant.stop);
  }

  #takeIdle(origin: Origin, destination: Destination): Connection | null {
    // The newest first, so that a quiet time lets the surplus reach its idle limit.
    for (;;) {
      const connection = origin.idle.at(-1);
      if (connection === undefined) return null;
      if (!this.#isUsable(connection, destination)) {
        this.#discard(connection);
        continue;
      }
      origin.idle.pop();
      this.#idle.delete(connection);
      return connection;
    }
  }

  /** Straight to the next in line, unless all connections are taken: then the origins must take turns. */
  #passOn(origin: Origin, connection: Connection): boolean {
    if (origin.waiting.size === 0) return false;
    if (this.#openCount >= this.#options.connectionsMax) return false;
    const [waiter] = origin.waiting;
    if (waiter === undefined || waiter.fresh) return false;
    if (!this.#isUsable(connection, waiter.destination)) return false;
    waiter.settle(connection);
    return true;
  }

  #isUsable(connection: Connection, destination: Destination): boolean {
    return (
      !connection.socket.destroyed &&
      this.#options.now() - connection.openedAtMs < CONNECTION_AGE_MS_MAX &&
      destination.addresses.includes(connection.address)
    );
  }

  async #open(origin: Origin, destination: Destination, stop: Stop): Promise<Connection> {
    // Making room may have dropped the origin. Counted before it is open: a connection under way is a socket too.
    this.#origins.set(origin.name, origin);
    origin.openCount += 1;
    this.#openCount += 1;
    try {
      const connected = await this.#options.connect(destination, stop);
      return this.#adopt(destination, connected);
    } catch (error) {
      this.#forget(origin);
      this.#serveNextWaiter();
      throw error;
    }
  }

  #adopt(destination: Destination, { socket, address }: Connected): Connection {
    const client = new Client(destination.origin, {
      connect: handOverOnce(socket),
      maxHeaderSize: HEADER_BYTES_MAX,
      // The request's own deadline covers these; undici's timers run a second late or more.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      pipelining: 1,
    });
    const { origin } = destination;
    const openedAtMs = this.#options.now();
    const connection: Connection = { origin, address, client, socket, openedAtMs, reused: false };
    client.on("disconnect", () => {
      // Those in use are given back by the request that uses them.
      if (this.#idle.has(connection)) this.#discard(connection);
    });
    return connection;
  }

  #wait(origin: Origin, applicant: Applicant): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const { destination, fresh, stop } = applicant;
      const settle = (connection: Promise<Connection> | Connection): void => {
        unregister();
        this.#removeWaiter(origin, waiter);
        resolve(connection);
      };
      const waiter: Waiter = { destination, fresh, stop, settle };
      this.#origins.set(origin.name, origin);
      origin.waiting.add(waiter);
      this.#crowded.add(origin);
      const unregister = stop.onStop((reason) => {
        this.#removeWaiter(origin, waiter);
        reject(new StoppedError(reason));
      });
    });
  }

  #removeWaiter(origin: Origin, waiter: Waiter): void {
    origin.waiting.delete(waiter);
    if (origin.waiting.size === 0) this.#crowded.delete(origin);
    this.#dropIfUnused(origin);
  }

  /** One connection became free, so at most one waiting request can be served. */
  #serveNextWaiter(): void {
    for (const origin of this.#crowded) {
      const [waiter] = origin.waiting;
      const served = waiter === undefined ? null : this.#serve(origin, waiter);
      if (waiter === undefined || served === null) continue;
      waiter.settle(served);
      if (this.#crowded.delete(origin)) this.#crowded.add(origin);
      return;
    }
  }

  #oldestIdle(): Connection | undefined {
    const [oldest] = this.#idle;
    return oldest;
  }

  #evict(connection: Connection | undefined): boolean {
    if (connection === undefined) return false;
    this.#discard(connection);
    return true;
  }

  #discard(connection: Connection): void {
    const origin = this.#origin(connection.origin);
    if (this.#idle.delete(connection)) origin.idle.splice(origin.idle.indexOf(connection), 1);
    connection.client.destroy().catch(() => {});
    connection.socket.destroy();
    this.#forget(origin);
  }

  #forget(origin: Origin): void {
    origin.openCount -= 1;
    this.#openCount -= 1;
    this.#dropIfUnused(origin);
  }

  #dropIfUnused(origin: Origin): void {
    if (origin.openCount === 0 && origin.waiting.size === 0) this.#origins.delete(origin.name);
  }
}

/** undici connects again by itself when a connection ends; these clients get exactly the socket that was checked. */
function handOverOnce(socket: Socket): buildConnector.connector {
  let given = false;
  return (_options, callback) => {
    // undici expects the answer after its own call has returned.
    queueMicrotask(() => {
      if (given || socket.destroyed) {
        callback(new ConnectionOverError(), null);
        return;
      }
      given = true;
      callback(null, socket);
    });
  };
}

/** The kept connection had ended before anything was written to it. */
export class ConnectionOverError extends Error {
  constructor() {
    super("the connection was closed by the other side while idle");
    this.name = "ConnectionOverError";
  }
}
