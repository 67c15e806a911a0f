import { connect, type Socket } from "node:net";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { createFrameReader, frameOf } from "./frames.ts";
import { helloOf, type Reply, type Request, readReplies, requireHello } from "./messages.ts";

/** The item never left this process: it may be written here. */
export class NotSent extends Error {
  constructor() {
    super("The item did not reach the other process.");
    this.name = "NotSent";
  }
}

/** The item was sent and never answered: the other process may have written it, or may still do so. */
export class PeerLost extends Error {
  constructor() {
    super("The other process did not answer.");
    this.name = "PeerLost";
  }
}

/** The peer's own error about an item, as `describeError` of the server made it. */
export class PeerRefusal extends Error {
  readonly described: unknown;

  constructor(described: unknown) {
    super("The other process refused the item.");
    this.name = "PeerRefusal";
    this.described = described;
  }
}

/** The way to another process of this machine. */
export interface PeerLink {
  /** Whether the peer takes items and answers in time. */
  isReady(): boolean;
  /** Sends an item. Rejects with NotSent, PeerLost or PeerRefusal. */
  ask(kind: string, item: unknown): Promise<unknown>;
  /** Resolves once nothing is unanswered, and ends the connection. */
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly path: string;
  readonly build: string;
  readonly clock: Clock;
  readonly log: Log;
}

const ITEMS_PER_FRAME_MAX = 500;
const UNANSWERED_MAX = 5_000;
/** Unsent bytes in the socket beyond which the peer counts as too slow. */
const UNSENT_BYTES_MAX = 8 * 1_024 * 1_024;
/** A peer with unanswered items that answers nothing for this long gets no new ones. */
const STALLED_MS = 1_000;
/** The connection of a peer that answers nothing for this long is given up; longer than any statement takes. */
const SILENT_MS_MAX = 6_000;
/** The connection is given up when one item waits this long, even while the peer answers others. */
const UNANSWERED_MS_MAX = 15_000;
const CHECK_EVERY_MS = 250;
const RECONNECT_MS = 1_000;

export function createPeerLink(options: LinkOptions): PeerLink {
  const { clock, log, path, build } = options;
  const unanswered = createUnanswered(clock);
  let outbox: Request[] = [];
  let connection: Connection | null = null;
  let cancelReconnect = () => {};
  let isClosed = false;

  const onLost = (reason: string) => {
    connection = null;
    unanswered.failAll(outbox.splice(0));
    if (isClosed) return;
    log.debug({ peer: path, reason }, "peers: link lost");
    cancelReconnect = clock.after(RECONNECT_MS, open);
  };
  const open = () => {
    const { onReplies } = unanswered;
    if (!isClosed) connection = openConnection({ path, build, onReplies, onLost });
  };
  const flush = () => {
    const sending = outbox;
    outbox = [];
    for (let from = 0; from < sending.length; from += ITEMS_PER_FRAME_MAX) {
      const requests = sending.slice(from, from + ITEMS_PER_FRAME_MAX);
      const frame = connection?.isReady() ? frameOf({ requests }) : null;
      if (frame === null) unanswered.failUnsent(requests);
      else {
        unanswered.markSent(requests);
        connection?.write(frame);
      }
    }
  };
  const check = () => {
    if (unanswered.silentMs() > SILENT_MS_MAX) connection?.giveUp("silent");
    else if (unanswered.oldestMs() > UNANSWERED_MS_MAX) connection?.giveUp("item unanswered");
  };
  // The check runs after the sockets are read: the stopped process may have been this one.
  const checking = setInterval(() => setImmediate(check), CHECK_EVERY_MS).unref();
  open();
  return {
    isReady: () =>
      connection?.isReady() === true &&
      !isClosed &&
      unanswered.count() < UNANSWERED_MAX &&
      unanswered.silentMs() < STALLED_MS &&
      connection.unsentBytes() < UNSENT_BYTES_MAX,
    ask(kind, item) {
      return new Promise((resolve, reject) => {
        const id = unanswered.add({ resolve, reject, sentAtMs: null });
        outbox.push([id, kind, item]);
        if (outbox.length === 1) setImmediate(flush);
      });
    },
    async close() {
      isClosed = true;
      cancelReconnect();
      await unanswered.drain();
      clearInterval(checking);
      connection?.end();
    },
  };
}

interface Unanswered {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  sentAtMs: number | null;
}

/** The items that wait for their reply, oldest first. */
function createUnanswered(clock: Clock) {
  const items = new Map<number, Unanswered>();
  let heardAtMs = 0;
  let lastId = 0;
  let drained: (() => void)[] = [];

  const settle = (id: number, how: (one: Unanswered) => void) => {
    const one = items.get(id);
    if (one === undefined) return;
    items.delete(id);
    how(one);
    if (items.size > 0) return;
    for (const done of drained) done();
    drained = [];
  };
  const failUnsent = (requests: readonly Request[]) => {
    for (const [id] of requests) settle(id, ({ reject }) => reject(new NotSent()));
  };
  const oldestSentAtMs = (): number | null => {
    const [oldest] = items.values();
    return oldest?.sentAtMs ?? null;
  };
  return {
    count: () => items.size,
    add(item: Unanswered): number {
      lastId += 1;
      items.set(lastId, item);
      return lastId;
    },
    markSent(requests: readonly Request[]): void {
      const now = clock.monotonic();
      for (const [id] of requests) {
        const one = items.get(id);
        if (one) one.sentAtMs = now;
      }
    },
    onReplies(replies: readonly Reply[]): void {
      heardAtMs = clock.monotonic();
      for (const [id, result, error] of replies) {
        settle(id, ({ resolve, reject }) =>
          error === null ? resolve(result) : reject(new PeerRefusal(error)),
        );
      }
    },
    /** Time without a reply while the oldest item waits for one. */
    silentMs(): number {
      const sentAtMs = oldestSentAtMs();
      return sentAtMs === null ? 0 : clock.monotonic() - Math.max(heardAtMs, sentAtMs);
    },
    /** Time since the oldest item without a reply was sent. */
    oldestMs(): number {
      const sentAtMs = oldestSentAtMs();
      return sentAtMs === null ? 0 : clock.monotonic() - sentAtMs;
    },
    failUnsent,
    failAll(unsent: readonly Request[]): void {
      failUnsent(unsent);
      for (const id of [...items.keys()]) settle(id, ({ reject }) => reject(new PeerLost()));
    },
    drain(): Promise<void> {
      if (items.size === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}

interface Connection {
  /** Whether the peer has greeted and not said goodbye. */
  isReady(): boolean;
  unsentBytes(): number;
  write(frame: Buffer): void;
  giveUp(reason: string): void;
  end(): void;
}

function openConnection(options: {
  path: string;
  build: string;
  onReplies(replies: readonly Reply[]): void;
  onLost(reason: string): void;
}): Connection {
  const { path, build, onReplies, onLost } = options;
  const socket: Socket = connect({ path });
  const read = createFrameReader();
  let hasGreeted = false;
  let isLeaving = false;
  let reason = "closed";
  const giveUp = (why: string) => {
    reason = why;
    socket.destroy();
  };
  const onFrame = (frame: unknown) => {
    if (!hasGreeted) {
      requireHello(frame, build);
      hasGreeted = true;
      return;
    }
    const replies = readReplies(frame);
    if (replies !== null) return onReplies(replies);
    isLeaving = true;
    // The peer answers what it has received, and then ends.
    socket.end();
  };
  socket.on("connect", () => void socket.write(frameOf(helloOf(build)) as Buffer));
  socket.on("data", (chunk: Buffer) => {
    try {
      for (const frame of read(chunk)) onFrame(frame);
    } catch (error) {
      giveUp((error as Error).message);
    }
  });
  socket.on("error", (error) => giveUp(error.message));
  socket.on("close", () => onLost(reason));
  return {
    isReady: () => hasGreeted && !isLeaving && !socket.destroyed,
    unsentBytes: () => socket.writableLength,
    write: (frame) => void socket.write(frame),
    giveUp,
    end: () => void socket.end(),
  };
}
