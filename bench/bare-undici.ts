/**
 * Baseline of webhooks: an undici pool that posts the same signed requests from memory, without a queue or a
 * log. Reads its options as JSON from standard input; prints the rate.
 */
import { createHmac } from "node:crypto";
import { text } from "node:stream/consumers";
import { Pool } from "undici";

export interface BarePosts {
  readonly origin: string;
  readonly path: string;
  readonly connections: number;
  readonly count: number;
  readonly secret: string;
  readonly data: object;
}

const WARM_UP_POSTS = 3_000;

const { origin, path, connections, count, secret, data } = JSON.parse(
  await text(process.stdin),
) as BarePosts;
const standardKey = Buffer.from(secret.slice("whsec_".length), "base64");

function signedHeaders(id: string, body: string): Record<string, string> {
  const t = Math.floor(Date.now() / 1_000);
  const hex = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
  const base64 = createHmac("sha256", standardKey).update(`${id}.${t}.${body}`).digest("base64");
  const signature = `t=${t},v1=${hex}`;
  return {
    "user-agent": "bare",
    "content-type": "application/json",
    "svc-signature": signature,
    "svc-event-id": id,
    "x-svc-signature": signature,
    "x-svc-event-id": id,
    "x-webhook-signature": signature,
    "x-webhook-event-id": id,
    "webhook-id": id,
    "webhook-timestamp": String(t),
    "webhook-signature": `v1,${base64}`,
  };
}

const created_at = new Date().toISOString();
const pool = new Pool(origin, { connections, pipelining: 1 });
let errors = 0;

async function postAll(posts: number): Promise<void> {
  let left = posts;
  const postNext = async () => {
    while (left > 0) {
      left -= 1;
      const id = `evt_${String(left).padStart(26, "0")}`;
      const body = JSON.stringify({ id, object: "event", type: "message.sent", created_at, data });
      const headers = signedHeaders(id, body);
      const answer = await pool.request({ method: "POST", path, headers, body });
      if (answer.statusCode !== 200) errors += 1;
      await answer.body.text();
    }
  };
  await Promise.all(Array.from({ length: connections }, postNext));
}

await postAll(WARM_UP_POSTS);
const startedMs = performance.now();
await postAll(count);
const seconds = (performance.now() - startedMs) / 1_000;
console.log(JSON.stringify({ perSecond: count / seconds, errors }));
await pool.close();
