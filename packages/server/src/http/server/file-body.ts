import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX, type FileBody, Problem, type RouteSpec } from "@longwave/contract";
import { brokeOff, checkContentType, hasBody, tooLarge } from "../body/read-body.ts";

/** A file in a request body: the handler reads it piece by piece, and it is hashed on the way. */
export interface ReadFile {
  readonly pieces: FileBody;
  /** SHA-256 of the whole file, in hex. Read the file to its end first. */
  digest(): string;
}

/**
 * Body of a route that takes a file. Bytes are read only as the handler asks for them; TCP back-pressure holds the
 * sender. A declared length is not trusted.
 */
export function openFile(spec: RouteSpec, request: IncomingMessage): ReadFile {
  const { takes = "text/csv", bodyBytesMax = BODY_BYTES_MAX } = spec;
  if (!hasBody(request)) {
    if (request.headers["content-type"] !== undefined) checkContentType(request, takes);
    throw new Problem(
      "invalid_request",
      `This call needs a file as its body. Send one with Content-Type: ${takes}.`,
    );
  }
  checkContentType(request, takes);
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) throw tooLarge(bodyBytesMax);
  const hash = createHash("sha256");
  return { pieces: piecesOf(request, bodyBytesMax, hash), digest: () => hash.digest("hex") };
}

async function* piecesOf(
  request: IncomingMessage,
  bytesMax: number,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  try {
    // The connection outlives a handler that stops reading: the refusal still has to be written.
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      bytes += piece.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    throw error instanceof Problem ? error : brokeOff();
  }
  if (!request.complete) throw brokeOff();
}
