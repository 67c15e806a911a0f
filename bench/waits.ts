import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const SAMPLE_EVERY_MS = 20;
const EVENTS_SHOWN = 4;

const SAMPLE = `
  select coalesce(wait_event_type || ':' || wait_event, 'running') as event, count(*)::int as backends
    from pg_stat_activity
   where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid()
   group by 1`;

/** Samples what active backends wait for, until `end` returns it as a sentence: backends on average, by event. */
export async function sampleWaits(
  connection: pg.ClientConfig,
): Promise<{ end(): Promise<string> }> {
  const client = new pg.Client(connection);
  await client.connect();
  const over = new AbortController();
  const totals = new Map<string, number>();
  let samples = 0;
  const sampling = (async () => {
    while (!over.signal.aborted) {
      const { rows } = await client.query<{ event: string; backends: number }>(SAMPLE);
      samples += 1;
      for (const { event, backends } of rows) {
        totals.set(event, (totals.get(event) ?? 0) + backends);
      }
      await sleep(SAMPLE_EVERY_MS);
    }
  })();
  return {
    async end() {
      over.abort();
      await sampling;
      await client.end();
      const shown = [...totals].sort((a, b) => b[1] - a[1]).slice(0, EVENTS_SHOWN);
      return shown.map(([event, total]) => `${event} ${(total / samples).toFixed(2)}`).join(", ");
    },
  };
}
