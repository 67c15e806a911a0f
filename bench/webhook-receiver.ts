/**
 * Webhook receiver on Node's HTTP module: reads the body, responds 200, keeps the connection. Counts webhooks
 * and, under /timed, records the age of each event at its first byte. GET / returns the results since the
 * last GET.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly count: number;
  /** Time of the last webhook in epoch milliseconds. */
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
