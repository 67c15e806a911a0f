/**
 * Reads one web page over a checked connection. Websites are less tidy than webhook receivers: they compress, send
 * malformed headers and are slow. So undici speaks HTTP here, over a socket that it did not open itself. The
 * decompressed output is bounded.
 */
import type { Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip } from "node:zlib";
import type { Route } from "./locate.ts";
import { type Stop, unlessStopped } from "./stop.ts";

export interface PageRequest {
  readonly url: string;
  /**
   * Deadline of the whole request: name, connection, TLS, status, headers and body. Real time, never the test clock.
   */
  readonly deadlineMs: number;
  /** Bytes of the decompressed body to keep; the connection is cut when more arrive. */
  readonly bodyBytesMax: number;
  readonly signal?: AbortSignal;
}

export type PageResult =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Target of a redirect, as written. */
      readonly location: string | null;
      readonly contentType: string | null;
      readonly body: Buffer;
      /** Reason why the body is incomplete. */
      readonly cutBy: "bytes" | "deadline" | "peer" | null;
      /** Problem with the compression, if any. */
      readonly unreadable: string | null;
    }
  | {
      readonly kind: "failed";
      /** `tls` only occurs for addresses that may be reached, so it reveals nothing about our own network. */
      readonly error: "timeout" | "unreachable" | "tls";
      /** For our own log, never for a customer. */
      readonly detail: string;
    };

const HEADER_BYTES_MAX = 32_768;

export async function exchangePage(
  socket: Socket,
  route: Route,
  request: PageRequest,
  userAgent: string,
  stop: Stop,
): Promise<PageResult> {
  // Imported on first use: most processes never read a website.
  const { default: undici } = await import("undici");
  const client = new undici.Client(route.origin, {
    // Deferred: undici would never send the request if the socket connected within the call.
    connect: (_options, callback) => void setImmediate(callback, null, socket),
    maxHeaderSize: HEADER_BYTES_MAX,
    // One deadline for everything, kept by `stop`.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const aborted = new AbortController();
  const unregister = stop.onStop(() => aborted.abort());
  try {
    const asked = client.request({
      method: "GET",
      path: route.path,
      headers: {
        host: route.authority,
        "user-agent": userAgent,
        accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
        "accept-language": "en,es;q=0.5,fr;q=0.5",
        "accept-encoding": "gzip, br",
      },
      signal: aborted.signal,
    });
    const answer = await unlessStopped(stop, asked);
    const { headers } = answer;
    const encoding = one(headers["content-encoding"])?.trim().toLowerCase() ?? "";
    const body = await readBody(answer.body, encoding, request.bodyBytesMax, stop);
    return {
      kind: "answer",
      status: answer.statusCode,
      location: one(headers["location"]),
      contentType: one(headers["content-type"]),
      ...body,
    };
  } catch (error) {
    stop.throwIfStopped();
    throw error;
  } finally {
    unregister();
    socket.destroy();
    client.destroy().catch(() => {});
  }
}

function one(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

interface ReadBody {
  readonly body: Buffer;
  readonly cutBy: "bytes" | "deadline" | "peer" | null;
  readonly unreadable: string | null;
}

async function readBody(
  raw: Readable,
  encoding: string,
  bytesMax: number,
  stop: Stop,
): Promise<ReadBody> {
  const decoder = decoderFor(encoding);
  if (decoder === null) {
    raw.on("error", () => {});
    raw.destroy();
    return {
      body: Buffer.alloc(0),
      cutBy: null,
      unreadable: `It is compressed as “${encoding.slice(0, 40)}”.`,
    };
  }
  let peerFailed = false;
  raw.on("error", () => {
    peerFailed = true;
  });
  const plain = decoder === "none" ? raw : pipeline(raw, decoder, () => {});
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of plain as AsyncIterable<Buffer>) {
      const room = bytesMax - bytes;
      pieces.push(piece.length <= room ? piece : piece.subarray(0, room));
      bytes += piece.length;
      // Leaving the loop destroys the streams: nothing more is read or decompressed.
      if (bytes > bytesMax)
        return { body: Buffer.concat(pieces), cutBy: "bytes", unreadable: null };
    }
    return { body: Buffer.concat(pieces), cutBy: null, unreadable: null };
  } catch {
    const body = Buffer.concat(pieces);
    if (stop.reason === "aborted") stop.throwIfStopped();
    if (stop.reason === "deadline") return { body, cutBy: "deadline", unreadable: null };
    if (peerFailed || decoder === "none") return { body, cutBy: "peer", unreadable: null };
    return { body, cutBy: null, unreadable: `Its ${encoding} compression is broken.` };
  }
}

function decoderFor(encoding: string) {
  if (encoding === "" || encoding === "identity") return "none";
  // Decodes a truncated page as far as it goes.
  if (encoding === "gzip" || encoding === "x-gzip") {
    return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  }
  return encoding === "br" ? createBrotliDecompress() : null;
}
