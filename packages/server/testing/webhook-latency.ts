import { setTimeout as sleep } from "node:timers/promises";
import { emit, type HookReceiver } from "./hook-receiver.ts";
import type { Kit } from "./kit.ts";

/** 100 events a second in all. */
const TICKS_PER_SECOND = 20;
const EVENTS_PER_TICK = 5;

/**
 * Emits events at a steady rate. Returns the latencies from commit to arrival at a path, and the number of
 * webhooks that other paths received meanwhile.
 */
export async function latenessAt(
  kit: Kit,
  receiver: HookReceiver,
  path: string,
  seconds: number,
  others: readonly string[] = [],
) {
  const startedAtMs = performance.now();
  const emittedAtMs: number[] = [];
  for (let tick = 0; tick < seconds * TICKS_PER_SECOND; tick += 1) {
    const aheadMs = startedAtMs + (tick * 1_000) / TICKS_PER_SECOND - performance.now();
    if (aheadMs > 0) await sleep(aheadMs);
    await emit(kit, EVENTS_PER_TICK);
    for (let count = 0; count < EVENTS_PER_TICK; count += 1) emittedAtMs.push(performance.now());
  }
  const count = emittedAtMs.length;
  const received = await receiver.got(path, count);
  // Matched by order of arrival, which is close enough to the order of events.
  const latenessMs = received.map((one, index) => one.atMs - (emittedAtMs[index] ?? 0));
  const elsewhereAtMs = others.flatMap((other) => receiver.at(other).map(({ atMs }) => atMs));
  const overtaken = received.map(({ atMs }, index) => {
    const fromMs = emittedAtMs[index] ?? 0;
    return elsewhereAtMs.filter((at) => at > fromMs && at < atMs).length;
  });
  for (const list of [latenessMs, overtaken]) list.sort((one, other) => one - other);
  const quantile = (list: readonly number[], part: number) =>
    list[Math.floor(count * part)] ?? Number.NaN;
  return {
    p50: quantile(latenessMs, 0.5),
    p99: quantile(latenessMs, 0.99),
    overtakenP99: quantile(overtaken, 0.99),
  };
}
