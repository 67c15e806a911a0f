import { setTimeout as sleep } from "node:timers/promises";
import { FROM } from "../kills/stage.ts";

const RETRY_MS = 50;
const ANSWER_MS_MAX = 8_000;

/** An accepted message, as confirmed to a client. */
export interface Acknowledged {
  readonly id: string;
  readonly text: string;
  readonly atMs: number;
}

/** Results of the clients. */
export interface ClientResults {
  readonly acknowledged: Acknowledged[];
  /** Responses other than acceptance by status; 0 means no response. */
  readonly refusals: Map<number, number>;
  /** Longest duration of one message, retries included. */
  slowestMs: number;
}

/**
 * Starts clients that send until `stop`. They repeat a request that was not accepted with the same key at the
 * next node.
 */
export function startClients(
  urls: readonly string[],
  key: string,
  clients: number,
  from = FROM,
): { readonly met: ClientResults; stop(): Promise<void> } {
  const met: ClientResults = { acknowledged: [], refusals: new Map(), slowestMs: 0 };
  const done = new AbortController();
  const running = Array.from({ length: clients }, (_, client) =>
    sendUntil({ urls, key, from }, client, met, done.signal),
  );
  return {
    met,
    async stop() {
      done.abort();
      await Promise.all(running);
    },
  };
}

async function sendUntil(
  { urls, key, from }: { urls: readonly string[]; key: string; from: string },
  client: number,
  met: ClientResults,
  signal: AbortSignal,
): Promise<void> {
  for (let count = 0, node = client; !signal.aborted; count += 1) {
    const text = `client ${client} text ${count}`;
    const to = `+1415555${String(2_000 + client)}`;
    const startedAt = performance.now();
    for (;;) {
      const url = urls[node % urls.length] as string;
      const answer = await fetch(`${url}/v1/messages`, {
        method: "POST",
        body: JSON.stringify({ to, from, body: text }),
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": text,
        },
      }).catch(() => null);
      const status = answer?.status ?? 0;
      const read = (await answer?.json().catch(() => null)) as { id?: string } | null;
      if ((status === 201 || status === 202) && read?.id !== undefined) {
        met.acknowledged.push({ id: read.id, text, atMs: performance.now() });
        met.slowestMs = Math.max(met.slowestMs, performance.now() - startedAt);
        break;
      }
      met.refusals.set(status, (met.refusals.get(status) ?? 0) + 1);
      // A test that ends while a node is down leaves the last message unacknowledged.
      if (signal.aborted) return;
      node += 1;
      await sleep(RETRY_MS);
    }
  }
}
