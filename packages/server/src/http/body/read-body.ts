import type { IncomingMessage } from "node:http";
import { Problem, type RouteSpec } from "@longwave/contract";

const VALUES_PER_LARGE_BODY_BYTE_MAX = 0.2;
const VALUES_MAX = 100_000;
const GATHERED_BYTES_MIN = 4_096;
/** What was outgrown is garbage until it is collected: with doubling, as much again as is held. */
const GROWTH = 8;
/** Requests whose body there was no room for. */
const cutOff = new WeakSet<IncomingMessage>();
const EMPTY = Buffer.alloc(0);
/** How much of a refused body is read and thrown away, so that its sender gets to the answer. */
const DISCARDED_BYTES_MAX = 32 * 1024 * 1024;

/** How many JSON values a body of this route may hold: enough for honest ones, bounded for all. */
export function valuesMaxOf(route: RouteSpec): number {
  const { bodyBytesMax } = route;
  if (bodyBytesMax === undefined) return VALUES_MAX;
  return Math.max(VALUES_MAX, Math.floor(bodyBytesMax * VALUES_PER_LARGE_BODY_BYTE_MAX));
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return (
    (length !== undefined && !/^0+$/.test(length)) ||
    request.headers["transfer-encoding"] !== undefined
  );
}

const TYPE_SENTENCES = {
  "application/json": "The body must be JSON in UTF-8, with Content-Type: application/json.",
  "text/csv": "The body must be CSV in UTF-8, with Content-Type: text/csv.",
};

/** Refuses a body whose type we do not read, before a byte of it is read. */
export function checkContentType(
  request: IncomingMessage,
  wanted: keyof typeof TYPE_SENTENCES = "application/json",
): void {
  if (request.headers["content-encoding"] !== undefined) {
    throw new Problem(
      "unsupported_media_type",
      "The body must come as it is, without a Content-Encoding.",
    );
  }
  const type = request.headers["content-type"] ?? "";
  if (type === wanted) return;
  const [essence = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charsets = parameters.filter((part) => part.startsWith("charset="));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset));
  if (essence !== wanted || !isUtf8) {
    throw new Problem("unsupported_media_type", TYPE_SENTENCES[wanted]);
  }
}

/**
 * Reads the body, counting bytes as they come; a declared length is not believed. What is held of it
 * is taken from the budget first. A body that comes in one piece is that piece; others are gathered
 * in one buffer that doubles, so that a client that sends single bytes holds bytes and no objects.
 */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  budget: BodyBytes,
): Buffer | Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const whole = arrivedWhole(request, declared, bytesMax, budget);
  return whole ?? gathered(request, bytesMax, declared, budget);
}

/**
 * Nearly every body has come with its head, and is here before anybody asks for it. Node tells that a request is
 * complete only after those who wait for it have run: until then its length says so.
 */
function arrivedWhole(
  request: IncomingMessage,
  declared: number,
  bytesMax: number,
  budget: BodyBytes,
): Buffer | null {
  const bytes = request.readableLength;
  const isWhole = request.complete || bytes === declared;
  if (!isWhole || bytes === 0 || bytes > bytesMax || request.destroyed) return null;
  budget.take(bytes);
  return request.read() as Buffer | null;
}

function gathered(
  request: IncomingMessage,
  bytesMax: number,
  declared: number,
  budget: BodyBytes,
): Promise<Buffer> {
  // Gone before anybody listened: no event will come again, also where all of it had come.
  if (request.destroyed) return Promise.reject(brokeOff());
  return new Promise((resolve, reject) => {
    const body = new GatheredBody(bytesMax, declared, budget);
    const collect = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (error) {
        if (!isTooLarge(error)) cutOff.add(request);
        request.off("data", collect);
        request.pause();
        reject(error);
      }
    };
    request.on("data", collect);
    request.on("end", () => resolve(body.bytes()));
    // Every request closes in the end: one that has not ended before that never will. Only for that one a
    // problem is made, whose stack takes longer than the body.
    const breakOff = () => {
      if (!request.readableEnded) reject(brokeOff());
    };
    request.on("error", breakOff);
    request.on("close", breakOff);
  });
}

class GatheredBody {
  readonly #bytesMax: number;
  readonly #declared: number;
  readonly #budget: BodyBytes;
  #buffer: Buffer = EMPTY;
  #length = 0;

  constructor(bytesMax: number, declared: number, budget: BodyBytes) {
    this.#bytesMax = bytesMax;
    this.#declared = declared;
    this.#budget = budget;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) throw tooLarge(this.#bytesMax);
    if (this.#length === 0 && length === this.#declared) {
      this.#budget.take(length);
      this.#buffer = chunk;
    } else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const wanted = Math.max(length, this.#buffer.length * GROWTH, GATHERED_BYTES_MIN);
    // No more than was declared, as long as that is kept to.
    const most = length <= this.#declared ? this.#declared : this.#bytesMax;
    const bytes = Math.min(wanted, most);
    this.#budget.take(bytes - this.#buffer.length);
    const grown = Buffer.allocUnsafeSlow(bytes);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/**
 * Whether there was no room for the body. Then nothing more of it is read, and its connection ends
 * with the answer: what is thrown away takes memory, too, until it is collected.
 */
export function isCutOff(request: IncomingMessage): boolean {
  return cutOff.has(request);
}

export function brokeOff(): Problem {
  return new Problem("invalid_request", "The body broke off. Send it whole.");
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Problem && error.code === "payload_too_large";
}

export function tooLarge(bytesMax: number): Problem {
  return new Problem(
    "payload_too_large",
    `The body is larger than ${bytesMax} bytes. Send less at a time.`,
  );
}

/**
 * Reads and throws away what is left of a body that was refused. To close the connection with
 * bytes unread would reset it, and the client might lose the answer that says why.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || !hasBody(request) || isCutOff(request)) return;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES_MAX) request.socket.destroy();
  });
  request.on("error", () => {});
  request.resume();
}

/** How many bytes of bodies a process holds at a time, in all and for one account. */
export interface BodyBudget {
  /** For the body of one request. Whoever takes bytes gives them back, whatever becomes of it. */
  open(accountId: string | null): BodyBytes;
}

export interface BodyBytes {
  /** Takes so many bytes more; throws 429 or 503 when there are none left. */
  take(bytes: number): void;
  release(): void;
}

const ACCOUNT_PART = 4;
/** The last of the budget is for bodies that are no larger than this, as most are. */
const SMALL_BODY_BYTES_MAX = 64 * 1024;
const SMALL_BODIES_PART = 8;
const RETRY_AFTER = { headers: { "retry-after": "1" } };

export function createBodyBudget(processBytesMax: number): BodyBudget {
  const accountBytesMax = Math.floor(processBytesMax / ACCOUNT_PART);
  // Accounts in league fill what there is for large bodies, and texts still come through.
  const largeBodiesBytesMax = processBytesMax - Math.floor(processBytesMax / SMALL_BODIES_PART);
  const held = new Map<string, number>();
  let heldInAll = 0;
  return {
    open(accountId) {
      let taken = 0;
      const change = (bytes: number) => {
        taken += bytes;
        heldInAll += bytes;
        if (accountId === null) return;
        const left = (held.get(accountId) ?? 0) + bytes;
        if (left === 0) held.delete(accountId);
        else held.set(accountId, left);
      };
      return {
        take(bytes) {
          const ofAccount = accountId === null ? 0 : (held.get(accountId) ?? 0);
          if (accountId !== null && ofAccount + bytes > accountBytesMax) {
            throw new Problem(
              "rate_limited",
              "This account is sending too much at once. Send large bodies one after the other.",
              RETRY_AFTER,
            );
          }
          const isSmall = taken + bytes <= SMALL_BODY_BYTES_MAX;
          if (heldInAll + bytes > (isSmall ? processBytesMax : largeBodiesBytesMax)) {
            throw new Problem(
              "unavailable",
              "The server is reading as much as it can. Try again in a moment.",
              RETRY_AFTER,
            );
          }
          change(bytes);
        },
        release: () => change(-taken),
      };
    },
  };
}
