import { type Contender, defineBench } from "./define.ts";
import { callApi, quantilesOf, sendAtRate } from "./pace.ts";
import type { Server } from "./server.ts";
import type { Stage } from "./stage.ts";

const FOLLOWERS = 10;
const IDLE_CLIENTS = 1_000;
const MESSAGES_PER_SECOND = 20;
const MEASURE_MS = 5_000;

interface EventsPage {
  readonly data: readonly { readonly created_at: string }[];
  readonly cursor: string;
}

/** Age of an event when a long poll returns it, from its commit. */
export const bench = defineBench({
  title: "Waiting for events",
  async rows(stage) {
    const server = await stage.server({ LONGWAVE_LONG_POLLS: "2000" });
    const alone = following(server, "GET /v1/events/wait, event to answer");
    const amongMany = following(server, "the same beside 1,000 idle clients");
    let areIdle = false;
    return [
      { ours: alone, p99MsMax: 50 },
      {
        ours: {
          ...amongMany,
          async measure() {
            if (!areIdle) await startIdleClients(stage, server);
            areIdle = true;
            return amongMany.measure();
          },
        },
        p99MsMax: 50,
      },
    ];
  },
});

/** Clients that follow the event log from cursor to cursor. */
function following(server: Server, name: string): Contender {
  return {
    name,
    async measure() {
      const agesMs: number[] = [];
      const over = new AbortController();
      const { cursor } = await wait(server, server.testKey, "?timeout=0");
      const followers = Array.from({ length: FOLLOWERS }, () =>
        follow(server, cursor, agesMs, over.signal),
      );
      const startedMs = performance.now();
      await sendAtRate(server, MESSAGES_PER_SECOND, MEASURE_MS);
      const seconds = (performance.now() - startedMs) / 1_000;
      over.abort();
      await Promise.all(followers);
      return { perSecond: agesMs.length / seconds, errors: 0, ...quantilesOf(agesMs) };
    },
  };
}

async function follow(
  server: Server,
  start: string,
  agesMs: number[],
  over: AbortSignal,
): Promise<void> {
  let cursor = start;
  while (!over.aborted) {
    const page = await wait(server, server.testKey, `?timeout=1&cursor=${cursor}`);
    const now = Date.now();
    for (const { created_at } of page.data) agesMs.push(now - Date.parse(created_at));
    cursor = page.cursor;
  }
}

async function wait(server: Server, key: string, query: string): Promise<EventsPage> {
  return (await callApi(server, key, "GET", `/v1/events/wait${query}`)) as EventsPage;
}

/** Keeps idle long polls open, of an account without events. */
async function startIdleClients(stage: Stage, server: Server): Promise<void> {
  const account = (await server.operator("POST", "/accounts", { name: "Idle" })) as { id: string };
  await server.operator("PATCH", `/accounts/${account.id}`, { rate_limit: 1_000_000 });
  const made = await server.operator("POST", `/accounts/${account.id}/keys`, { mode: "test" });
  const { key } = made as { key: string };
  const { cursor } = await wait(server, key, "?timeout=0");
  const over = new AbortController();
  const url = `${server.url}/v1/events/wait?timeout=25&cursor=${cursor}`;
  const keepPolling = async () => {
    const request = { headers: { authorization: `Bearer ${key}` }, signal: over.signal };
    while (!over.signal.aborted) {
      await fetch(url, request).then(
        (answer) => answer.text(),
        () => "",
      );
    }
  };
  const idle = Array.from({ length: IDLE_CLIENTS }, keepPolling);
  stage.atEnd(async () => {
    over.abort();
    await Promise.all(idle);
  });
}
