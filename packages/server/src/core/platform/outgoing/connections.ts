/**
 * Pool of kept-alive connections. A connection is reused only for the same origin, and only while its address is
 * among the addresses just checked: once DNS no longer names it, it is closed.
 *
 * undici's Pool cannot check this for each request, and keeps connecting after a caller's deadline
 * (docs/decisions/0002-outgoing-http-client.md).
 */
import type { Socket } from "node:net";
import type { Connected, Destination } from "./connect.ts";
import { type Stop, StoppedError } from "./stop.ts";
import { Wire } from "./wire.ts";

export interface Connection {
  readonly origin: string;
  readonly address: string;
  readonly wire: Wire;
  readonly socket: Socket;
  readonly openedAtMs: number;
  /** Time from which an idle connection cannot be reused. */
  idleUntilMs: number;
  /** Whether a request has been answered over it before. */
  reused: boolean;
}

export interface Connections {
  /**
   * Returns an idle connection, or opens a new one; waits when the limits are reached. `fresh`: never an idle one.
   */
  acquire(destination: Destination, stop: Stop, fresh: boolean): Connection | Promise<Connection>;
  /** Returns a connection to the pool. It is closed unless it is `reusable` and still open. */
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
/** Interval at which idle connections past their idle limit are closed. */
const SWEEP_EVERY_MS = 1_000;

interface Origin {
  readonly name: string;
  openCount: number;
  readonly idle: Connection[];
  readonly waiting: Set<Waiter>;
}

/** A request without a connection yet. */
interface PendingRequest {
  readonly destination: Destination;
  readonly fresh: boolean;
  readonly stop: Stop;
}

interface Waiter extends PendingRequest {
  readonly settle: (connection: Promise<Connection> | Connection) => void;
}

export function createConnections(options: ConnectionsOptions): Connections {
  return new ConnectionStore(options);
}

class ConnectionStore implements Connections {
  readonly #options: ConnectionsOptions;
  readonly #origins = new Map<string, Origin>();
  /** Oldest first, over all origins: the order of eviction. */
  readonly #idle = new Set<Connection>();
  /** Origins with waiting requests, in rotation, so that a crowded one does not starve the rest. */
  readonly #crowded = new Set<Origin>();
  #openCount = 0;
  #sweeping: NodeJS.Timeout | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get openCount(): number {
    return this.#openCount;
  }

  acquire(destination: Destination, stop: Stop, fresh: boolean): Connection | Promise<Connection> {
    const origin = this.#origin(destination.origin);
    const pending = { destination, stop, fresh };
    if (origin.waiting.size === 0) {
      const served = this.#serve(origin, pending);
      if (served !== null) return served;
    }
    return this.#wait(origin, pending);
  }

  release(connection: Connection, reusable: boolean): void {
    const origin = this.#origin(connection.origin);
    const idleMsMax = reusable ? connection.wire.idleMsMax : 0;
    if (idleMsMax > 0) {
      connection.reused = true;
      connection.idleUntilMs = this.#options.now() + idleMsMax;
      if (this.#passOn(origin, connection)) return;
      origin.idle.push(connection);
      this.#idle.add(connection);
      this.#sweeping ??= setTimeout(() => this.#sweep(), SWEEP_EVERY_MS).unref();
    } else {
      this.#discard(connection);
    }
    this.#serveNextWaiter();
  }

  close(): void {
    for (const connection of [...this.#idle]) this.#discard(connection);
    if (this.#sweeping !== null) clearTimeout(this.#sweeping);
  }

  /** One timer for all connections, running only while some are idle. */
  #sweep(): void {
    const now = this.#options.now();
    for (const connection of [...this.#idle]) {
      if (connection.idleUntilMs <= now) this.#discard(connection);
    }
    const isNeeded = this.#idle.size > 0;
    this.#sweeping = isNeeded ? setTimeout(() => this.#sweep(), SWEEP_EVERY_MS).unref() : null;
  }

  #origin(name: string): Origin {
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const origin: Origin = { name, openCount: 0, idle: [], waiting: new Set() };
    this.#origins.set(name, origin);
    return origin;
  }

  /** A connection for this request, if one is idle or may be opened. */
  #serve(origin: Origin, pending: PendingRequest): Promise<Connection> | Connection | null {
    const idle = pending.fresh ? null : this.#takeIdle(origin, pending.destination);
    if (idle !== null) return idle;
    const { originConnectionsMax, connectionsMax } = this.#options;
    if (origin.openCount >= originConnectionsMax && !this.#evict(origin.idle[0])) return null;
    if (this.#openCount >= connectionsMax && !this.#evict(this.#oldestIdle())) return null;
    return this.#open(origin, pending.destination, pending.stop);
  }

  #takeIdle(origin: Origin, destination: Destination): Connection | null {
    // Newest first, so that surplus connections reach their idle limit in quiet times.
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

  /**
   * Passes the connection to the origin's next waiting request, unless all connections are taken: then origins
   * rotate.
   */
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
    const now = this.#options.now();
    return (
      !connection.socket.destroyed &&
      now < connection.idleUntilMs &&
      now - connection.openedAtMs < CONNECTION_AGE_MS_MAX &&
      destination.addresses.includes(connection.address)
    );
  }

  async #open(origin: Origin, destination: Destination, stop: Stop): Promise<Connection> {
    // Eviction may have dropped the origin. Counted before it is open: a connecting socket counts too.
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
    const { origin } = destination;
    const wire = new Wire(socket, () => {
      // A connection in use is released by the request that uses it.
      if (this.#idle.has(connection)) this.#discard(connection);
    });
    const openedAtMs = this.#options.now();
    const connection: Connection = {
      origin,
      address,
      wire,
      socket,
      openedAtMs,
      idleUntilMs: 0,
      reused: false,
    };
    return connection;
  }

  #wait(origin: Origin, pending: PendingRequest): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const { destination, fresh, stop } = pending;
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
