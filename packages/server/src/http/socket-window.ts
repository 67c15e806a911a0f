import type { Socket } from "node:net";

/**
 * One socket may send requests without waiting for answers (pipelining). Of those only so many are in
 * hand at a time; the rest of what was read waits unstarted, and the socket is not read until there
 * is room, so that TCP's own back-pressure reaches the client.
 */
export interface SocketWindow {
  /** Starts the request now, or when one before it has been answered. */
  enter(socket: Socket, start: () => void): void;
  /** A request of this socket has its answer. */
  leave(socket: Socket): void;
}

interface Window {
  inHand: number;
  /** At most what one read from the socket held. */
  readonly waiting: (() => void)[];
  isPaused: boolean;
}

export function createSocketWindow(inHandMax: number): SocketWindow {
  const windows = new WeakMap<Socket, Window>();
  const windowOf = (socket: Socket): Window => {
    let known = windows.get(socket);
    if (!known) {
      known = { inHand: 0, waiting: [], isPaused: false };
      windows.set(socket, known);
    }
    return known;
  };
  return {
    enter(socket, start) {
      const own = windowOf(socket);
      if (own.inHand < inHandMax) {
        own.inHand += 1;
        start();
        return;
      }
      own.waiting.push(start);
      if (own.isPaused) return;
      own.isPaused = true;
      socket.pause();
    },
    leave(socket) {
      const own = windowOf(socket);
      own.inHand -= 1;
      if (socket.destroyed) own.waiting.length = 0;
      const next = own.waiting.shift();
      if (next) {
        own.inHand += 1;
        next();
      } else if (own.isPaused) {
        own.isPaused = false;
        socket.resume();
      }
    },
  };
}
