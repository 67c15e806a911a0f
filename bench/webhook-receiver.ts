/**
 * Takes webhooks, as an ordinary server of Node's own HTTP module does: reads the body, says 200,
 * keeps the connection. Counts them, and under /timed notes how old each event was when its first
 * byte came. GET / answers with all that since the last time it was asked.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly count: number;
  /** Epoch milliseconds of the last one. */
  readonly lastAtMs: number;
  readonly agesMs: readonly number[];
}

const CREATED_AT = /"created_at":"([^"]+)"/;
let count = 0;
let lastAtMs = 0;
let agesMs: number[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ count, lastAtMs, agesMs } satisfies Received));
    count = 0;
    agesMs = [];
    return;
  }
  lastAtMs = Date.now();
  const atMs = lastAtMs;
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    count += 1;
    if (request.url === "/timed") {
      const [, at = ""] = CREATED_AT.exec(Buffer.concat(chunks).toString()) ?? [];
      agesMs.push(atMs - Date.parse(at));
    }
    response.end("ok");
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`ready ${(server.address() as AddressInfo).port}`);
});
