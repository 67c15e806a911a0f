import type { IncomingMessage } from "node:http";
import { Problem, type RouteSpec } from "@longwave/contract";

const VALUES_PER_LARGE_BODY_BYTE_MAX = 0.2;
const VALUES_MAX = 100_000;
const GATHERED_BYTES_MIN = 4_096;
/**
 * Growth factor of the buffer. Outgrown buffers stay in memory until collected; doubling would keep as much garbage as
 * data.
 */
const GROWTH = 8;
/** Requests whose body exceeded the budget. */
const cutOff = new WeakSet<IncomingMessage>();
const EMPTY = Buffer.alloc(0);
/** Bytes of a refused body that are read and discarded, so that its sender reads the answer. */
const DISCARDED_BYTES_MAX = 32 * 1024 * 1024;

/** Maximum number of JSON values in a body of this route. */
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

/** Refuses a body of an unsupported content type before reading a byte of it. */
export function checkContentType(
  request: IncomingMessage,
  expectedType: keyof typeof TYPE_SENTENCES = "application/json",
): void {
  if (request.headers["content-encoding"] !== undefined) {
    throw new Problem(
      "unsupported_media_type",
      "The body must come as it is, without a Content-Encoding.",
    );
  }
  const type = request.headers["content-type"] ?? "";
  if (type === expectedType) return;
  const [essence = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charsets = parameters.filter((part) => part.startsWith("charset="));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset));
  if (essence !== expectedType || !isUtf8) {
    throw new Problem("unsupported_media_type", TYPE_SENTENCES[expectedType]);
  }
}

/**
 * Reads the body and counts bytes as they arrive; a declared length is not trusted. Memory is taken from the budget
 * first. A body in one piece is used as it is; several pieces go into one growing buffer, so that a client sending
 * single bytes costs bytes and no objects. When the signal aborts, nothing more is read, and the promise rejects with
 * its reason.
 */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  budget: Pick<BodyBytes, "take">,
  signal?: AbortSignal,
): Buffer | Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const whole = arrivedWhole(request, declared, bytesMax, budget);
  return whole ?? gathered(request, new GatheredBody(bytesMax, declared, budget), signal);
}

/**
 * Nearly every body arrives with its head and is complete before the handler reads it. Node sets `complete` only after
 * waiting listeners ran; until then the buffered length shows it.
 */
function arrivedWhole(
  request: IncomingMessage,
  declared: number,
  bytesMax: number,
  budget: Pick<BodyBytes, "take">,
): Buffer | null {
  const bytes = request.readableLength;
  const isWhole = request.complete || bytes === declared;
  if (!isWhole || bytes === 0 || bytes > bytesMax || request.destroyed) return null;
  budget.take(bytes);
  return request.read() as Buffer | null;
}

function gathered(
  request: IncomingMessage,
  body: GatheredBody,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  // Destroyed before a listener was attached: no event will come, even if the whole body had arrived.
  if (request.destroyed) return Promise.reject(brokeOff());
  return new Promise((resolve, reject) => {
    const stop = (error: unknown) => {
      if (!isTooLarge(error)) cutOff.add(request);
      request.off("data", collect);
      request.pause();
      reject(error);
    };
    const collect = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (error) {
        stop(error);
      }
    };
    signal?.addEventListener("abort", () => stop(signal.reason), { once: true });
    request.on("data", collect);
    request.on("end", () => resolve(body.bytes()));
    // Every request closes in the end; a close before the end means a broken body. The Problem is made only then,
    // because its stack costs more than reading the body.
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
  readonly #budget: Pick<BodyBytes, "take">;
  #buffer: Buffer = EMPTY;
  #length = 0;

  constructor(bytesMax: number, declared: number, budget: Pick<BodyBytes, "take">) {
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
    const preferred = Math.max(length, this.#buffer.length * GROWTH, GATHERED_BYTES_MIN);
    // At most the declared length, as long as the sender keeps to it.
    const most = length <= this.#declared ? this.#declared : this.#bytesMax;
    const bytes = Math.min(preferred, most);
    this.#budget.take(bytes - this.#buffer.length);
    const grown = Buffer.allocUnsafeSlow(bytes);
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/**
 * Whether the body exceeded the budget. Nothing more of it is read, and the connection ends with the answer: even
 * discarded bytes take memory until collected.
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
 * Reads and discards the rest of a refused body. Closing with unread bytes would reset the connection, and the client
 * might lose the answer.
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

/** Bytes of bodies in a process's memory, in all and per account. */
export interface BodyBudget {
  /** Bytes for the body of one request. The caller must release them in every outcome. */
  open(accountId: string | null): BodyBytes;
}

export interface BodyBytes {
  /** Takes this many bytes more; throws 429 or 503 when the budget is exhausted. */
  take(bytes: number): void;
  release(): void;
}

const ACCOUNT_PART = 4;
/** The last part of the budget is reserved for bodies up to this size, as most are. */
const SMALL_BODY_BYTES_MAX = 64 * 1024;
const SMALL_BODIES_PART = 8;
const RETRY_AFTER = { headers: { "retry-after": "1" } };

export function createBodyBudget(processBytesMax: number): BodyBudget {
  const accountBytesMax = Math.floor(processBytesMax / ACCOUNT_PART);
  // Several accounts together can exhaust the share of large bodies; messages still pass.
  const largeBodiesBytesMax = processBytesMax - Math.floor(processBytesMax / SMALL_BODIES_PART);
  const bytesByAccount = new Map<string, number>();
  let heldInAll = 0;
  return {
    open(accountId) {
      let taken = 0;
      const change = (bytes: number) => {
        taken += bytes;
        heldInAll += bytes;
        if (accountId === null) return;
        const left = (bytesByAccount.get(accountId) ?? 0) + bytes;
        if (left === 0) bytesByAccount.delete(accountId);
        else bytesByAccount.set(accountId, left);
      };
      return {
        take(bytes) {
          const ofAccount = accountId === null ? 0 : (bytesByAccount.get(accountId) ?? 0);
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
