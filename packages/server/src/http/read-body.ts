import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX, Problem, type RouteSpec } from "@longwave/contract";

const TOKENS_PER_BODY_BYTE_MAX = 0.2;
const TOKENS_MAX_AT_LEAST = 100_000;
/** How much of a refused body is read and thrown away, so that its sender gets to the answer. */
const DISCARDED_BYTES_MAX = 32 * 1024 * 1024;

/** How many JSON values a body of this route may hold: enough for honest ones, bounded for all. */
export function tokensMaxOf(route: RouteSpec): number {
  const bytesMax = route.bodyBytesMax ?? BODY_BYTES_MAX;
  return Math.max(TOKENS_MAX_AT_LEAST, bytesMax * TOKENS_PER_BODY_BYTE_MAX);
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return (
    (length !== undefined && !/^0+$/.test(length)) ||
    request.headers["transfer-encoding"] !== undefined
  );
}

/** Refuses a body whose type we do not read, before a byte of it is read. */
export function checkContentType(request: IncomingMessage): void {
  if (request.headers["content-encoding"] !== undefined) {
    throw new Problem("unsupported_media_type", "Send the body without a Content-Encoding.");
  }
  const type = request.headers["content-type"] ?? "";
  if (type === "application/json") return;
  const [essence = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charsets = parameters.filter((part) => part.startsWith("charset="));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset));
  if (essence !== "application/json" || !isUtf8) {
    throw new Problem(
      "unsupported_media_type",
      "Send the body as JSON in UTF-8, with Content-Type: application/json.",
    );
  }
}

/** Reads the body, counting bytes as they come; a declared length is not believed. */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () =>
    new Problem("payload_too_large", `The body is larger than ${bytesMax} bytes.`);
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const collect = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      request.off("data", collect);
      request.pause();
      reject(tooLarge());
    };
    request.on("data", collect);
    request.on("end", () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    const brokenOff = () => {
      // Every request closes in the end; only one that is not complete has broken off.
      if (!request.complete) reject(new Problem("invalid_request", "The body broke off."));
    };
    request.on("error", brokenOff);
    request.on("close", brokenOff);
  });
}

/**
 * Reads and throws away what is left of a body that was refused. To close the connection with
 * bytes unread would reset it, and the client would lose the answer that says why.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || !hasBody(request)) return;
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES_MAX) request.socket.destroy();
  });
  request.on("error", () => {});
  request.resume();
}
