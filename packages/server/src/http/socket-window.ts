import type { Socket } from "node:net";

/**
 * One socket may send requests without waiting for answers (pipelining). Of those only so many are in
 * hand at a time; the rest of what was read waits unstarted, and the socket is not read until there
 * is room, so that TCP's own back-pressure reaches the client.
 *
 * What waited is begun a few at a time, one of each socket in turn, and the event loop goes round
 * after each few: a thousand requests that one read brought would otherwise be answered in one go,
 * and everybody else would wait for the last of them. To parse so many takes its time, too, and cannot
 * be broken off: so of many new sockets only some are read in one turn.
 */
export interface SocketWindow {
  /** A new socket: it is read at once, or in its turn. */
  open(socket: Socket): void;
  /** Starts the request now, or when one before it has been answered. */
  enter(socket: Socket, start: () => void): void;
  /** A request of this socket has its answer. */
  leave(socket: Socket): void;
  /**
   * The next request of this socket has not come whole in time. If that is because we do not read,
   * it is given the time again once we do, and only then refused; else the answer is false.
   */
  excuse(socket: Socket, refuse: () => void): boolean;
}

export interface WindowLimits {
  readonly inHandPerSocketMax: number;
  readonly waitingInAllMax: number;
  /** How long a request may take that was excused, once the socket is read again. */
  readonly headersTimeoutMs: number;
}

/** Requests that waited, of all sockets together, that are begun in one turn of the event loop. */
const BEGUN_PER_TURN_MAX = 8;
/** Sockets that are read again in one turn: all that one read brings is parsed at once. */
const READ_AGAIN_PER_TURN_MAX = 1;
/** New sockets that are first read in one turn; one alone, while sockets bring more than they may. */
const OPENED_PER_TURN_MAX = 8;

interface Window {
  readonly socket: Socket;
  inHand: number;
  /** At most what one read from the socket held. */
  readonly waiting: (() => void)[];
  /** It stands in the line of those that begin a request, or are read again. */
  isInLine: boolean;
  isPaused: boolean;
  /** Refuses a request that was late while the socket was not read. */
  excused: (() => void) | null;
  timer: NodeJS.Timeout | undefined;
}

export function createSocketWindow(limits: WindowLimits): SocketWindow {
  const windows = new WeakMap<Socket, Window>();
  const line = createLine(limits);
  const windowOf = (socket: Socket): Window => {
    const known = windows.get(socket);
    if (known) return known;
    const made = newWindow(socket);
    windows.set(socket, made);
    socket.once("close", () => {
      clearTimeout(made.timer);
      line.forget(made);
    });
    return made;
  };
  return {
    open: (socket) => line.open(windowOf(socket)),
    enter(socket, start) {
      const own = windowOf(socket);
      own.excused = null;
      clearTimeout(own.timer);
      if (own.waiting.length === 0 && own.inHand < limits.inHandPerSocketMax) {
        own.inHand += 1;
        start();
        return;
      }
      if (!line.join(own, start)) {
        socket.destroy();
        return;
      }
      pause(own);
    },
    leave(socket) {
      const own = windowOf(socket);
      own.inHand -= 1;
      if (own.isPaused) line.goOn(own);
    },
    excuse(socket, refuse) {
      const own = windowOf(socket);
      if (own.isPaused) own.excused = refuse;
      return own.isPaused;
    },
  };
}

function newWindow(socket: Socket): Window {
  return {
    socket,
    inHand: 0,
    waiting: [],
    isInLine: false,
    isPaused: false,
    excused: null,
    timer: undefined,
  };
}

/** The sockets with requests that wait, and those that may be read again, each in turn. */
interface Line {
  /** Lets a new socket be read, or wait for that. */
  open(own: Window): void;
  /** Lets a request wait; false when too many do. */
  join(own: Window, start: () => void): boolean;
  /** One of its requests has its answer: the next may begin, or, without one, it is read again. */
  goOn(own: Window): void;
  /** It is gone. */
  forget(own: Window): void;
}

function createLine(limits: WindowLimits): Line {
  const toBegin: Window[] = [];
  const toRead: Window[] = [];
  const toOpen: Window[] = [];
  let waitingInAll = 0;
  let openedPerTurn = OPENED_PER_TURN_MAX;
  /** Somebody brought more than may be in hand since the last turn. */
  let isMuch = false;
  let isTurnDue = false;

  const stand = (line: Window[], own: Window) => {
    line.push(own);
    own.isInLine = true;
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(turn);
  };
  const goOn = (own: Window) => {
    if (own.isInLine || own.socket.destroyed) return;
    if (own.waiting.length === 0) stand(toRead, own);
    else if (own.inHand < limits.inHandPerSocketMax) stand(toBegin, own);
  };
  const begin = (own: Window) => {
    own.isInLine = false;
    const start = own.waiting.shift();
    if (!start) return;
    waitingInAll -= 1;
    own.inHand += 1;
    if (own.waiting.length > 0) goOn(own);
    start();
  };
  const read = (own: Window) => {
    own.isInLine = false;
    // Whoever reads a body makes its socket read again, too, and that may have brought more.
    if (own.waiting.length > 0) return goOn(own);
    if (!own.isPaused) return;
    own.isPaused = false;
    if (own.excused) own.timer = setTimeout(own.excused, limits.headersTimeoutMs).unref();
    own.socket.resume();
  };
  const turn = () => {
    isTurnDue = false;
    openedPerTurn = isMuch ? 1 : Math.min(OPENED_PER_TURN_MAX, openedPerTurn * 2);
    isMuch = false;
    toBegin.splice(0, BEGUN_PER_TURN_MAX).forEach(begin);
    toRead.splice(0, READ_AGAIN_PER_TURN_MAX).forEach(read);
    toOpen.splice(0, openedPerTurn).forEach(read);
    // This comes before anything of theirs has been read.
    toOpen.forEach(pause);
    if (isTurnDue || toBegin.length + toRead.length + toOpen.length === 0) return;
    isTurnDue = true;
    setImmediate(turn);
  };
  return {
    open: (own) => stand(toOpen, own),
    goOn,
    join(own, start) {
      isMuch = true;
      if (waitingInAll >= limits.waitingInAllMax) return false;
      waitingInAll += 1;
      own.waiting.push(start);
      return true;
    },
    forget(own) {
      waitingInAll -= own.waiting.length;
      own.waiting.length = 0;
    },
  };
}

function pause(own: Window): void {
  if (own.isPaused) return;
  own.isPaused = true;
  own.socket.pause();
}
