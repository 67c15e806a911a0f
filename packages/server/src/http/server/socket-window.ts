import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../exchange/client-address.ts";
import { createPipeliners } from "./pipeliners.ts";

/**
 * Back-pressure for HTTP pipelining. Node parses everything that one read brought, which may be thousands of requests:
 * the parse blocks the event loop, and every parsed request takes several kilobytes before its work can start.
 * Few clients pipeline, and the parser is fastest when it reads a socket itself. Node therefore reads the sockets of an
 * address until the address pipelines for the first time. From then on this window feeds the parser small pieces, each
 * with a few requests at most. Per socket only a few requests are in progress; the rest stays as bytes, and the socket
 * is paused until they are gone, so that TCP back-pressure reaches the client. Waiting requests start a few per tick of
 * the event loop, round-robin over the sockets. Decision 27 has the alternatives and figures.
 */
export interface SocketWindow {
  /** A new socket, after the HTTP server has attached to it. */
  open(socket: Socket): void;
  /** The parser has read the head of a request: starts it now, or after an earlier one has its answer. */
  enter(request: IncomingMessage, start: () => void): void;
  /** A request of this socket has its answer. */
  leave(socket: Socket): void;
  /**
   * Handles a request that timed out while incomplete. If the window paused the socket, the request gets its time again
   * once the socket is read, and is refused after that; otherwise returns false.
   */
  excuse(socket: Socket, refuse: () => void): boolean;
}

export interface WindowLimits {
  readonly concurrentPerSocketMax: number;
  readonly requestsPerSocketMax: number;
  /** Time in ms for a request after its timeout was excused, from when the socket is read again. */
  readonly headersTimeoutMs: number;
  /** Parsed requests of all sockets that wait; a socket that exceeds the limit is dropped. */
  readonly parsedInAllMax: number;
  /** Bytes of all sockets read and not yet parsed; a socket that exceeds the limit is dropped. */
  readonly bufferedBytesMax: number;
}

/**
 * Requests of one socket in progress that prove pipelining: a fast client may send the next request before the server
 * knows that its answer arrived.
 */
const PIPELINED_MIN = 3;
/** Waiting requests, over all sockets, that start in one tick of the event loop. */
const STARTS_PER_TICK_MAX = 8;
/** Bytes that the parser gets at once: small ones outside bodies, where each piece may hold several requests. */
const HEAD_PIECE_BYTES = 512;
const BODY_PIECE_BYTES = 4_096;
/** Pieces of one read that are parsed at once, as long as they start at most one request. */
const PIECES_AT_ONCE_MAX = 16;
const NOTHING = Buffer.alloc(0);

interface Window {
  readonly socket: Socket;
  readonly address: string;
  /** Feeds bytes to the parser of this socket; null while the parser reads the socket itself. */
  parse: ((bytes: Buffer) => void) | null;
  inHand: number;
  started: number;
  newest: IncomingMessage | null;
  /** Requests that are parsed, and not started. */
  readonly parsed: (() => void)[];
  /** Requests of the current piece that may start at once: one; the others wait for their turns. */
  startsLeft: number;
  /** Bytes read and not yet parsed; the socket is paused while there are any. */
  buffered: Buffer;
  /** Memory of `buffered`'s buffer, including bytes that were parsed already. */
  bufferedBytes: number;
  isQueued: boolean;
  /** Refuses a request that was late while the socket was paused. */
  excused: (() => void) | null;
  timer: NodeJS.Timeout | undefined;
}

export function createSocketWindow(limits: WindowLimits): SocketWindow {
  const windows = new WeakMap<Socket, Window>();
  const queue = createSocketQueue(limits);
  const addresses = createPipeliners<Window>();
  /** From here on the socket's bytes come to this listener: with it Node's parser stops reading the socket itself. */
  const takeOver = (own: Window) => {
    const { socket } = own;
    if (own.parse !== null || socket.destroyed) return;
    const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
    socket.off("data", parse);
    own.parse = parse;
    socket.on("data", (bytes: Buffer) => queue.bring(own, bytes));
    // Reading a body also resumes its socket: the buffered bytes come first.
    socket.on("resume", () => queue.resume(own));
  };
  return {
    open(socket) {
      const own = newWindow(socket);
      windows.set(socket, own);
      socket.once("close", () => {
        clearTimeout(own.timer);
        queue.forget(own);
        addresses.remove(own.address, own);
      });
      if (addresses.add(own.address, own)) takeOver(own);
    },
    enter(request, start) {
      const own = windows.get(request.socket);
      if (!own) return start();
      own.started += 1;
      own.newest = request;
      if (own.excused !== null) {
        own.excused = null;
        clearTimeout(own.timer);
      }
      const mustWait = own.startsLeft === 0 || own.parsed.length > 0;
      if (mustWait || own.inHand >= limits.concurrentPerSocketMax) {
        queue.join(own, start);
        return;
      }
      own.startsLeft -= 1;
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
      queue.resume(own);
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
    started: 0,
    newest: null,
    parsed: [],
    startsLeft: Number.POSITIVE_INFINITY,
    buffered: NOTHING,
    bufferedBytes: 0,
    isQueued: false,
    excused: null,
    timer: undefined,
  };
}

/** The sockets with buffered bytes, served round-robin. */
interface SocketQueue {
  /** Adds a request that was parsed before it may start. */
  join(own: Window, start: () => void): void;
  /** Takes bytes that were read: parses them at once, or buffers them. */
  bring(own: Window, bytes: Buffer): void;
  /** Resumes parsing of this socket if it is no longer blocked. */
  resume(own: Window): void;
  /** Drops a closed socket. */
  forget(own: Window): void;
}

function createSocketQueue(limits: WindowLimits): SocketQueue {
  const waiting: Window[] = [];
  let bufferedInAll = 0;
  let parsedInAll = 0;
  let isTickScheduled = false;

  const buffer = (own: Window, buffered: Buffer, bufferedBytes: number) => {
    bufferedInAll += bufferedBytes - own.bufferedBytes;
    own.buffered = buffered;
    own.bufferedBytes = bufferedBytes;
  };
  const forget = (own: Window) => {
    buffer(own, NOTHING, 0);
    parsedInAll -= own.parsed.length;
    own.parsed.length = 0;
  };
  const resume = (own: Window) => {
    if (!isWaiting(own)) return;
    own.socket.pause();
    if (own.isQueued || !mayAdvance(own, limits)) return;
    own.isQueued = true;
    waiting.push(own);
    if (isTickScheduled) return;
    isTickScheduled = true;
    setImmediate(tick);
  };
  const startParsed = (own: Window) => {
    const start = own.parsed.shift();
    parsedInAll -= 1;
    own.inHand += 1;
    start?.();
  };
  const parseHeld = (own: Window) => {
    const { buffered } = own;
    const end = pieceBytes(own);
    if (end >= buffered.length) buffer(own, NOTHING, 0);
    else own.buffered = buffered.subarray(end);
    parsePiece(own, buffered.subarray(0, end));
  };
  const advance = (own: Window) => {
    if (isOver(own, limits)) forget(own);
    else if (!mayAdvance(own, limits)) return;
    else if (own.parsed.length > 0) startParsed(own);
    else if (own.buffered.length > 0) parseHeld(own);
  };
  const step = (own: Window) => {
    own.isQueued = false;
    advance(own);
    if (isWaiting(own)) return resume(own);
    if (own.excused) own.timer = setTimeout(own.excused, limits.headersTimeoutMs).unref();
    if (!isFull(own)) own.socket.resume();
  };
  const tick = () => {
    isTickScheduled = false;
    for (let steps = 0; steps < STARTS_PER_TICK_MAX; steps += 1) {
      const own = waiting.shift();
      if (!own) return;
      step(own);
    }
    if (isTickScheduled || waiting.length === 0) return;
    isTickScheduled = true;
    setImmediate(tick);
  };
  return {
    resume,
    forget,
    join(own, start) {
      parsedInAll += 1;
      own.parsed.push(start);
      if (parsedInAll > limits.parsedInAllMax) own.socket.destroy();
      else resume(own);
    },
    bring(own, bytes) {
      if (isOver(own, limits)) return;
      const left = isWaiting(own) ? bytes : parseNew(own, bytes, limits);
      if (left.length === 0) return;
      const buffered = own.buffered.length === 0 ? left : Buffer.concat([own.buffered, left]);
      buffer(own, buffered, own.buffered.length === 0 ? bytes.length : buffered.length);
      if (bufferedInAll > limits.bufferedBytesMax) own.socket.destroy();
      else resume(own);
    },
  };
}

/** Something of this socket waits, so it is not read. */
function isWaiting({ parsed, buffered }: Window): boolean {
  return parsed.length > 0 || buffered.length > 0;
}

/** Nothing more of this socket will be answered. */
function isOver(own: Window, { requestsPerSocketMax }: WindowLimits): boolean {
  if (own.socket.destroyed || own.socket.writableEnded) return true;
  return own.started >= requestsPerSocketMax && own.parsed.length === 0 && !isInBody(own);
}

/** Whether the next waiting item may start: a parsed request, or bytes. */
function mayAdvance(own: Window, limits: WindowLimits): boolean {
  if (own.parsed.length > 0) return own.inHand < limits.concurrentPerSocketMax;
  return mayParse(own, limits);
}

function isInBody({ newest }: Window): boolean {
  return newest !== null && !newest.complete;
}

/** The reader of the newest body does not take more for now. */
function isFull({ newest }: Window): boolean {
  if (newest === null || newest.complete) return false;
  return newest.readableLength >= newest.readableHighWaterMark;
}

/** Whether the parser may get anything: the rest of a body, or the next request. */
function mayParse(own: Window, { concurrentPerSocketMax }: WindowLimits): boolean {
  // Node has paused its parser, because the client does not read its answers.
  if ((own.socket as { _paused?: boolean })._paused === true) return false;
  return isInBody(own) ? !isFull(own) : own.inHand < concurrentPerSocketMax;
}

/** Parses new bytes until a request starts, which is nearly always all of them; returns the rest. */
function parseNew(own: Window, bytes: Buffer, limits: WindowLimits): Buffer {
  const startedBefore = own.started;
  let left = bytes;
  for (let pieces = 0; pieces < PIECES_AT_ONCE_MAX; pieces += 1) {
    if (left.length === 0 || own.parsed.length > 0 || !mayParse(own, limits)) break;
    if (own.started > startedBefore && !isInBody(own)) break;
    const end = pieceBytes(own);
    parsePiece(own, left.subarray(0, end));
    left = left.subarray(end);
  }
  return left;
}

function pieceBytes(own: Window): number {
  return isInBody(own) ? BODY_PIECE_BYTES : HEAD_PIECE_BYTES;
}

function parsePiece(own: Window, piece: Buffer): void {
  own.startsLeft = 1;
  own.parse?.(piece);
  own.startsLeft = Number.POSITIVE_INFINITY;
}
