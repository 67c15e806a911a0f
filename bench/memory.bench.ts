import { setTimeout as sleep } from "node:timers/promises";
import { type Check, type Contender, defineBench } from "./define.ts";
import { sandboxSending } from "./message-load.ts";
import type { Server } from "./server.ts";
import { spreadOf } from "./table.ts";

/** Time until Node's heap has grown to the size of the load. */
const WARM_UP_MS = 20_000;
const RUN_MS = 60_000;
/**
 * Window of readings at start and end, because garbage collection makes single readings jump. Resident memory
 * takes the median. The heap takes the minimum: what is in use right after a collection.
 */
const WINDOW_MS = 15_000;
const READING_MS = 500;
const CHANGE_MAX = 0.2;
const MB = 1024 * 1024;

/** Duration of a load for memory checks. */
export const MEMORY_MEASURE_MS = WARM_UP_MS + RUN_MS;

interface Reading {
  readonly rss: number;
  readonly heap: number;
}

/** Checks that memory stays constant over a minute of a load of `MEMORY_MEASURE_MS`. */
export async function memoryChecks(server: Server, load: Contender): Promise<Check[]> {
  const measuring = load.measure();
  await sleep(WARM_UP_MS);
  const start = await readFor(server, WINDOW_MS);
  await sleep(RUN_MS - 2 * WINDOW_MS);
  const end = await readFor(server, WINDOW_MS);
  const { perSecond, errors } = await measuring;
  const name = `over ${RUN_MS / 1_000} s of ${perSecond.toFixed(0)} messages/s`;
  return [
    checkOf(`Resident memory ${name}`, start.rss, end.rss, errors),
    checkOf(`Heap in use after collections, ${name}`, start.heap, end.heap, errors),
  ];
}

async function readFor(server: Server, ms: number): Promise<Reading> {
  const readings: Reading[] = [];
  for (let passed = 0; passed < ms; passed += READING_MS) {
    readings.push({
      rss: await server.metric("process_resident_memory_bytes"),
      heap: await server.metric("nodejs_heap_size_used_bytes"),
    });
    await sleep(READING_MS);
  }
  return {
    rss: spreadOf(readings.map(({ rss }) => rss)).median,
    heap: Math.min(...readings.map(({ heap }) => heap)),
  };
}

function checkOf(name: string, start: number, end: number, errors: number): Check {
  const change = end / start - 1;
  const sign = change < 0 ? "−" : "+";
  const percent = `${sign}${Math.abs(change * 100).toFixed(0)} %`;
  return {
    name,
    measured: `${(start / MB).toFixed(0)} → ${(end / MB).toFixed(0)} MB, ${percent}`,
    limit: `±${CHANGE_MAX * 100} %, no errors`,
    holds: Math.abs(change) <= CHANGE_MAX && errors === 0,
  };
}

/** Memory growth under load. */
export const bench = defineBench({
  title: "Memory under load",
  async checks(stage) {
    const server = await stage.server({ LOG_LEVEL: "error" });
    const measureMs = MEMORY_MEASURE_MS;
    return memoryChecks(server, sandboxSending(stage, server, "POST /v1/messages", { measureMs }));
  },
});
