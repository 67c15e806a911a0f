/**
 * What the SDK costs: the same POST over and over, so many in flight, through the SDK or through
 * fetch alone. A process of its own; reads what to do as JSON from standard input, prints the rate:
 * calls for each second of its own processor time, which is what bounds a client on one thread.
 */
import { text } from "node:stream/consumers";
import { Longwave } from "@longwave/sdk";

export interface SdkCalls {
  readonly url: string;
  readonly by: "sdk" | "fetch";
  readonly inFlight: number;
  readonly count: number;
}

const { url, by, inFlight, count } = JSON.parse(await text(process.stdin)) as SdkCalls;
const KEY = "svc_sk_test_0000000000000000000000000000000000000000";
const body = { to: "+15005550000", from: "+15005550100", body: "Your table is ready." };
const client = new Longwave({ apiKey: KEY, baseUrl: url });

async function bareFetch(): Promise<unknown> {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      accept: "application/json, text/csv",
      "content-type": "application/json",
      "idempotency-key": `auto_${crypto.randomUUID()}`,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.json();
}

const call = by === "sdk" ? () => client.messages.send(body) : bareFetch;

async function callAll(calls: number): Promise<void> {
  let left = calls;
  const callInTurn = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, callInTurn));
}

await callAll(Math.ceil(count / 4));
const before = process.cpuUsage();
await callAll(count);
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1_000_000;
console.log(JSON.stringify({ perSecond: count / seconds, errors: 0 }));
process.exit(0);
