import type { IncomingMessage } from "node:http";
import { Problem } from "@longwave/contract";

const HEADERS_MAX = 100;

/** Headers of which Node keeps the first, or joins several: which one is meant cannot be known. */
const SINGLE_HEADERS = new Set(["authorization", "host", "idempotency-key", "content-type"]);
const SINGLE_HEADER_LENGTHS = new Set([...SINGLE_HEADERS].map((name) => name.length));

/** Refuses what Node lets through and we do not, before anything else is looked at. */
export function checkRequest(request: IncomingMessage): void {
  checkHeaders(request);
  // Proxy-style targets (`GET http://other/…`) reach us in Node; we serve only our own paths.
  if (!request.url?.startsWith("/") || request.url.includes("#")) {
    throw new Problem("invalid_request", "Ask for a path, not for a whole address.");
  }
}

function checkHeaders(request: IncomingMessage): void {
  const raw = request.rawHeaders;
  if (raw.length > HEADERS_MAX * 2) {
    throw new Problem("headers_too_large", `Send at most ${HEADERS_MAX} headers.`);
  }
  let seen = "";
  for (let index = 0; index < raw.length; index += 2) {
    const given = raw[index] as string;
    if (!SINGLE_HEADER_LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(`${name},`)) {
      throw new Problem("invalid_request", `Send one ${given} header, not several.`, {
        param: given,
      });
    }
    seen += `${name},`;
  }
  if (request.headers.host === undefined && request.httpVersion === "1.1") {
    throw new Problem("invalid_request", "Send a Host header.", { param: "Host" });
  }
}
