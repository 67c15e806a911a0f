import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { createFrameReader, frameOf } from "./frames.ts";
import { helloOf, type Reply, readRequests, requireHello } from "./messages.ts";

export interface PeerServerOptions {
  readonly path: string;
  readonly build: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Does the work of one item. Once `isGone` returns true, its sender does the work instead. */
  readonly handle: (kind: string, item: unknown, isGone: () => boolean) => Promise<unknown>;
  /** An error as a JSON value. */
  readonly describeError: (error: unknown) => unknown;
}

export interface PeerServer {
  /** Takes no more items, answers those it has, and ends. */
  close(): Promise<void>;
}

/** Deadline for the answers to items received before a stop. */
const CLOSE_MS_MAX = 5_000;
/** Unread answers of a peer beyond which its connection is closed. */
const UNREAD_BYTES_MAX = 64 * 1_024 * 1_024;

/** Answers the items of other processes. The folder of the socket keeps other users out. */
export async function startPeerServer(options: PeerServerOptions): Promise<PeerServer> {
  const { path, clock } = options;
  const conversations = new Set<Conversation>();
  let isClosing = false;
  // Half-open: a peer that has ended still reads its answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const one = converse(socket, options);
    conversations.add(one);
    void one.ended.then(() => conversations.delete(one));
    if (isClosing) one.leave();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Exclusive: in a cluster, the primary would otherwise accept the connections.
    server.listen({ path, exclusive: true }, resolve);
  });
  return {
    async close() {
      isClosing = true;
      for (const one of conversations) one.leave();
      const ended = Promise.all([...conversations].map((one) => one.ended));
      const deadline = new AbortController();
      await Promise.race([ended, clock.sleep(CLOSE_MS_MAX, deadline.signal)]);
      deadline.abort();
      for (const one of conversations) one.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(path, { force: true });
    },
  };
}

interface Conversation {
  leave(): void;
  destroy(): void;
  readonly ended: Promise<void>;
}

function converse(socket: Socket, options: PeerServerOptions): Conversation {
  const { build, handle, describeError, log } = options;
  const read = createFrameReader();
  let hasGreeted = false;
  let inHand = 0;
  let isOver = false;
  let answered: Reply[] = [];
  const isGone = () => socket.destroyed;

  const flush = () => {
    const replies = answered;
    answered = [];
    const frame = frameOf({ replies });
    if (frame === null || socket.writableLength > UNREAD_BYTES_MAX) return void socket.destroy();
    if (!socket.destroyed) socket.write(frame);
    endWhenDone();
  };
  const endWhenDone = () => {
    if (isOver && inHand === 0 && answered.length === 0) socket.end();
  };
  const answer = (reply: Reply) => {
    inHand -= 1;
    answered.push(reply);
    if (answered.length === 1) setImmediate(flush);
  };
  const onFrame = (frame: unknown) => {
    if (!hasGreeted) {
      requireHello(frame, build);
      hasGreeted = true;
      return;
    }
    for (const [id, kind, item] of readRequests(frame)) {
      inHand += 1;
      handle(kind, item, isGone).then(
        (result) => answer([id, result ?? null, null]),
        (error: unknown) => answer([id, null, describeError(error)]),
      );
    }
  };
  socket.write(frameOf(helloOf(build)) as Buffer);
  socket.on("data", (chunk: Buffer) => {
    try {
      for (const frame of read(chunk)) onFrame(frame);
    } catch (error) {
      log.warn({ err: error }, "peers: connection closed, its sender is not one of us");
      socket.destroy();
    }
  });
  socket.on("error", () => socket.destroy());
  socket.on("end", () => {
    isOver = true;
    endWhenDone();
  });
  const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  return {
    leave: () => void socket.write(frameOf({ bye: true }) as Buffer),
    destroy: () => void socket.destroy(),
    ended,
  };
}
