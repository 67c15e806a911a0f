import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "./server.ts";

const FROM = "+15005550100";

/** Calls the API; any error status ends the run. */
export async function callApi(
  server: Pick<Server, "url">,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Sends sandbox messages at a steady rate in an open loop; returns their number. */
export async function sendAtRate(server: Server, perSecond: number, ms: number): Promise<number> {
  const startedMs = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let passedMs = 0; passedMs < ms; passedMs = performance.now() - startedMs) {
    while (sent.length < (passedMs * perSecond) / 1_000) {
      const to = `+1415555${2_000 + (sent.length % 500)}`;
      const text = { to, from: FROM, body: "Your table is ready." };
      sent.push(callApi(server, server.testKey, "POST", "/v1/messages", text));
    }
    await sleep(1);
  }
  await Promise.all(sent);
  return sent.length;
}

export function quantilesOf(valuesMs: readonly number[]): { p50Ms: number; p99Ms: number } {
  const sorted = Float64Array.from(valuesMs).sort();
  const quantile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}
