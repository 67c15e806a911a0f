import { setTimeout as sleep } from "node:timers/promises";
import { FROM } from "../kills/stage.ts";

const RETRY_MS = 50;
const ANSWER_MS_MAX = 8_000;

/** A text that a client was told is accepted. */
export interface Acknowledged {
  readonly id: string;
  readonly text: string;
  readonly atMs: number;
}

/** What clients met with. */
export interface Met {
  readonly acknowledged: Acknowledged[];
  /** Answers other than an acceptance, by status; 0 is none at all. */
  readonly refusals: Map<number, number>;
  /** The longest that one text took, retries included. */
  slowestMs: number;
}

/**
 * Clients that send until they are told to stop. They do as real ones do: without an acceptance the same
 * request goes out again, with the same key, to the next node.
 */
export function startClients(
  urls: readonly string[],
  key: string,
  clients: number,
  from = FROM,
): { readonly met: Met; stop(): Promise<void> } {
  const met: Met = { acknowledged: [], refusals: new Map(), slowestMs: 0 };
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
  met: Met,
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
      // A run that ends while a node is away leaves its last text unacknowledged.
      if (signal.aborted) return;
      node += 1;
      await sleep(RETRY_MS);
    }
  }
}
