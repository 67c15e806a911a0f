import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./client-address.ts";
import { createPipeliners } from "./pipeliners.ts";

/**
 * One socket may send requests without waiting for answers (pipelining). Node parses all that a read
 * brought in one go, which may be some thousand requests: that holds everybody up, and each of them
 * is several kilobytes of objects, of which there is no need before its turn comes.
 *
 * Hardly anybody does that, and the parser is quickest when it reads a socket itself. So it does, until
 * an address pipelines for the first time: from then on what is read of its sockets goes to the parser
 * through here, one request at a time. Of one socket only so many are in hand, the bytes of the others
 * wait as bytes, and the socket is not read until they are gone, so that TCP's own back-pressure reaches
 * the client. What waited is begun a few at a time, one of each socket in turn, and the event loop goes
 * round after each few.
 */
export interface SocketWindow {
  /** A new socket, after the HTTP server has begun to listen to it. */
  open(socket: Socket): void;
  /** The parser has read the head of a request: it starts now, or when one before it has been answered. */
  enter(request: IncomingMessage, start: () => void): void;
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
  readonly requestsPerSocketMax: number;
  /** How long a request may take that was excused, once the socket is read again. */
  readonly headersTimeoutMs: number;
  /** Requests of all sockets together that were parsed and wait; whoever brings more is dropped. */
  readonly parsedInAllMax: number;
  /** Bytes of all sockets together that were read and wait to be parsed; whoever brings more is dropped. */
  readonly heldBytesMax: number;
}

/** So many of one socket in hand are no accident: a client may ask again before we know that it has our answer. */
const PIPELINED_MIN = 3;
/** Requests that waited, of all sockets together, that are begun in one turn of the event loop. */
const STEPS_PER_TURN_MAX = 8;
/** A body in chunks is parsed in as many pieces as it has empty lines; of most there are two. */
const PIECES_AT_ONCE_MAX = 16;
const NOTHING = Buffer.alloc(0);

interface Window {
  readonly socket: Socket;
  readonly address: string;
  /** Gives bytes to the parser of this socket; null while the parser reads the socket itself. */
  parse: ((bytes: Buffer) => void) | null;
  inHand: number;
  begun: number;
  newest: IncomingMessage | null;
  /** Those of the first read that pipelined: parsed, and not started. */
  readonly parsed: (() => void)[];
  /** What the newest request's declared length lets us expect; none of it can begin a request. */
  bodyBytesLeft: number;
  /** What was read and not parsed yet: while there is something, the socket is paused. */
  held: Buffer;
  /** The memory that is taken by it, of which what was parsed already is a part. */
  heldBytes: number;
  isInLine: boolean;
  /** Refuses a request that was late while the socket was not read. */
  excused: (() => void) | null;
  timer: NodeJS.Timeout | undefined;
}

export function createSocketWindow(limits: WindowLimits): SocketWindow {
  const windows = new WeakMap<Socket, Window>();
  const line = createLine(limits);
  const addresses = createPipeliners<Window>();
  /** From here on its bytes come to us: with a listener of ours Node's parser reads it no longer. */
  const takeOver = (own: Window) => {
    const { socket } = own;
    if (own.parse !== null || socket.destroyed) return;
    const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
    socket.off("data", parse);
    own.parse = parse;
    socket.on("data", (bytes: Buffer) => line.bring(own, bytes));
    // Whoever reads a body makes its socket go on, too: what is held comes first.
    socket.on("resume", () => line.goOn(own));
  };
  return {
    open(socket) {
      const own = newWindow(socket);
      windows.set(socket, own);
      socket.once("close", () => {
        clearTimeout(own.timer);
        line.forget(own);
        addresses.remove(own.address, own);
      });
      if (addresses.add(own.address, own)) takeOver(own);
    },
    enter(request, start) {
      const own = windows.get(request.socket);
      if (!own) return start();
      own.begun += 1;
      own.newest = request;
      if (own.excused !== null) {
        own.excused = null;
        clearTimeout(own.timer);
      }
      if (own.parsed.length > 0 || own.inHand >= limits.inHandPerSocketMax) {
        line.join(own, start);
        return;
      }
      own.inHand += 1;
      if (own.inHand >= PIPELINED_MIN && own.parse === null) {
        addresses.mark(own.address).forEach(takeOver);
      }
      start();
    },
    leave(socket) {
      const own = windows.get(socket);
      if (!own) return;
      own.inHand -= 1;
      line.goOn(own);
    },
    excuse(socket, refuse) {
      const own = windows.get(socket);
      if (!own || !isWaiting(own)) return false;
      own.excused = refuse;
      return true;
    },
  };
}

function newWindow(socket: Socket): Window {
  return {
    socket,
    address: networkOf(socket.remoteAddress ?? ""),
    parse: null,
    inHand: 0,
    begun: 0,
    newest: null,
    parsed: [],
    bodyBytesLeft: 0,
    held: NOTHING,
    heldBytes: 0,
    isInLine: false,
    excused: null,
    timer: undefined,
  };
}

/** The sockets of which bytes are held, each in turn. */
interface Line {
  /** A request that was parsed before it may start. */
  join(own: Window, start: () => void): void;
  /** Bytes that were read: parsed at once, or held. */
  bring(own: Window, bytes: Buffer): void;
  /** What kept this socket's bytes from being parsed may be over. */
  goOn(own: Window): void;
  /** It is gone. */
  forget(own: Window): void;
}

function createLine(limits: WindowLimits): Line {
  const waiting: Window[] = [];
  let heldInAll = 0;
  let parsedInAll = 0;
  let isTurnDue = false;

  const hold = (own: Window, held: Buffer, heldBytes: number) => {
    heldInAll += heldBytes - own.heldBytes;
    own.held = held;
    own.heldBytes = heldBytes;
  };
  const forget = (own: Window) => {
    hold(own, NOTHING, 0);
    parsedInAll -= own.parsed.length;
    own.parsed.length = 0;
  };
  const goOn = (own: Window) => {
    if (!isWaiting(own)) return;
    own.socket.pause();
    if (own.isInLine || !mayGoOn(own, limits)) return;
    own.isInLine = true;
    waiting.push(own);
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(turn);
  };
  const startParsed = (own: Window) => {
    const start = own.parsed.shift();
    parsedInAll -= 1;
    own.inHand += 1;
    start?.();
  };
  const parseHeld = (own: Window) => {
    const { held } = own;
    const end = pieceOf(own, held);
    if (end === held.length) hold(own, NOTHING, 0);
    else own.held = held.subarray(end);
    parsePiece(own, held.subarray(0, end), end);
  };
  const advance = (own: Window) => {
    if (isOver(own, limits)) forget(own);
    else if (!mayGoOn(own, limits)) return;
    else if (own.parsed.length > 0) startParsed(own);
    else if (own.held.length > 0) parseHeld(own);
  };
  const step = (own: Window) => {
    own.isInLine = false;
    advance(own);
    if (isWaiting(own)) return goOn(own);
    if (own.excused) own.timer = setTimeout(own.excused, limits.headersTimeoutMs).unref();
    if (!isFull(own)) own.socket.resume();
  };
  const turn = () => {
    isTurnDue = false;
    for (let steps = 0; steps < STEPS_PER_TURN_MAX; steps += 1) {
      const own = waiting.shift();
      if (!own) return;
      step(own);
    }
    if (isTurnDue || waiting.length === 0) return;
    isTurnDue = true;
    setImmediate(turn);
  };
  return {
    goOn,
    forget,
    join(own, start) {
      parsedInAll += 1;
      own.parsed.push(start);
      if (parsedInAll > limits.parsedInAllMax) own.socket.destroy();
      else own.socket.pause();
    },
    bring(own, bytes) {
      if (isOver(own, limits)) return;
      const left = isWaiting(own) ? bytes : parseOne(own, bytes, limits);
      if (left.length === 0) return;
      const held = own.held.length === 0 ? left : Buffer.concat([own.held, left]);
      hold(own, held, own.held.length === 0 ? bytes.length : held.length);
      if (heldInAll > limits.heldBytesMax) own.socket.destroy();
      else goOn(own);
    },
  };
}

/** Something of this socket waits, so it is not read. */
function isWaiting({ parsed, held }: Window): boolean {
  return parsed.length > 0 || held.length > 0;
}

/** Nothing more of this socket will be answered. */
function isOver(own: Window, { requestsPerSocketMax }: WindowLimits): boolean {
  if (own.socket.destroyed || own.socket.writableEnded) return true;
  return own.begun >= requestsPerSocketMax && own.parsed.length === 0 && !isInBody(own);
}

/** Whether the next of what waits may begin: a request that was parsed, or bytes. */
function mayGoOn(own: Window, limits: WindowLimits): boolean {
  if (own.parsed.length > 0) return own.inHand < limits.inHandPerSocketMax;
  return mayParse(own, limits);
}

function isInBody({ newest }: Window): boolean {
  return newest !== null && !newest.complete;
}

/** Whoever is to read the body does not, or not yet. */
function isFull({ newest }: Window): boolean {
  if (newest === null || newest.complete) return false;
  return newest.readableLength >= newest.readableHighWaterMark;
}

/** Whether the parser may be given anything: the rest of a body, or the next request. */
function mayParse(own: Window, { inHandPerSocketMax }: WindowLimits): boolean {
  // Node has stopped its parser, because answers are not taken.
  if ((own.socket as { _paused?: boolean })._paused === true) return false;
  return isInBody(own) ? !isFull(own) : own.inHand < inHandPerSocketMax;
}

/**
 * Parses what has just been read, up to the end of one request, which is nearly always all of it;
 * answers what is left.
 */
function parseOne(own: Window, bytes: Buffer, limits: WindowLimits): Buffer {
  const begunBefore = own.begun;
  let left = bytes;
  for (let pieces = 0; pieces < PIECES_AT_ONCE_MAX; pieces += 1) {
    if (left.length === 0 || !mayParse(own, limits)) break;
    if (own.begun > begunBefore && !isInBody(own)) break;
    const end = pieceOf(own, left);
    // One head, and behind it a body or a part of another head: the parser takes both at once.
    const isLast = own.inHand + 1 < limits.inHandPerSocketMax && headEnd(left, end) === -1;
    if (isLast) {
      parsePiece(own, left, end);
      return NOTHING;
    }
    parsePiece(own, left.subarray(0, end), end);
    left = left.subarray(end);
  }
  return left;
}

/** So many of these bytes end with the next head, or with a body: at most one request begins in them. */
function pieceOf(own: Window, bytes: Buffer): number {
  if (own.bodyBytesLeft > 0) return Math.min(own.bodyBytesLeft, bytes.length);
  // The end of a body in chunks looks like the end of a head, so nothing behind it is among them.
  const end = headEnd(bytes, 0);
  return end === -1 ? bytes.length : end;
}

/** `headBytes`: where the head ends, if one does; what is behind it is of its body. */
function parsePiece(own: Window, piece: Buffer, headBytes: number): void {
  const begunBefore = own.begun;
  if (own.bodyBytesLeft > 0) own.bodyBytesLeft -= Math.min(own.bodyBytesLeft, piece.length);
  own.parse?.(piece);
  if (own.begun === begunBefore || !own.newest) return;
  const declared = Number(own.newest.headers["content-length"] ?? 0);
  own.bodyBytesLeft = isInBody(own) ? declared - (piece.length - headBytes) : 0;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Node's parser refuses lines that end with a line feed alone. */
const EMPTY_LINE = Buffer.from("\n\r\n");

/** Where the first empty line from there on ends, or -1. The first of its bytes may have come before. */
function headEnd(bytes: Buffer, from: number): number {
  if (from === bytes.length) return -1;
  if (bytes[from] === LINE_FEED) return from + 1;
  if (bytes[from] === CARRIAGE_RETURN && bytes[from + 1] === LINE_FEED) return from + 2;
  const end = bytes.indexOf(EMPTY_LINE, from);
  return end === -1 ? -1 : end + EMPTY_LINE.length;
}
