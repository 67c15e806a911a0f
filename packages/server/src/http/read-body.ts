import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX, Problem, type RouteSpec } from "@longwave/contract";

const TOKENS_PER_BODY_BYTE_MAX = 0.2;

/** How many JSON values a body of this route may hold: enough for honest ones, bounded for all. */
export function tokensMaxOf(route: RouteSpec): number {
  return Math.max(100_000, (route.bodyBytesMax ?? BODY_BYTES_MAX) * TOKENS_PER_BODY_BYTE_MAX);
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return (
    (length !== undefined && length !== "0") || request.headers["transfer-encoding"] !== undefined
  );
}

/** Refuses a body whose type we do not read, before a byte of it is read. */
export function checkContentType(request: IncomingMessage): void {
  if (request.headers["content-encoding"] !== undefined) {
    throw new Problem("unsupported_media_type", "Send the body without a Content-Encoding.");
  }
  const type = request.headers["content-type"] ?? "";
  const [essence = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((part) => part.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
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
    new Problem("payload_too_large", `The body is larger than ${bytesMax} bytes.`, {
      headers: { connection: "close" },
    });
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        request.pause();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    request.on("error", () => reject(new Problem("invalid_request", "The body broke off.")));
    request.on("close", () => reject(new Problem("invalid_request", "The body broke off.")));
  });
}
