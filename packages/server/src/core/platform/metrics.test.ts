import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroup } from "../db/driver/group.ts";
import { systemClock } from "./clock.ts";
import { createMetrics } from "./metrics.ts";

test("requests are counted by route and class of status", async () => {
  const metrics = createMetrics(systemClock());
  const meter = metrics.route("account.get");
  meter(200, 0.004);
  meter(201, 0.2);
  meter(404, 0.001);
  const text = await metrics.registry.metrics();
  const name = "longwave_http_request_duration_seconds";
  assert.match(text, new RegExp(`${name}_count{route="account.get",status="2xx"} 2`));
  assert.match(text, new RegExp(`${name}_bucket{le="0.005",route="account.get",status="2xx"} 1`));
  assert.match(text, new RegExp(`${name}_count{route="account.get",status="4xx"} 1`));
});

test("a group records the items and the duration of each write", async () => {
  const metrics = createMetrics(systemClock());
  const group = createGroup<number, number>({
    write: async (items) => items.map((item) => item * 2),
    itemsPerWriteMax: 100,
    itemsWaitingMax: 100,
    isItemFault: () => false,
    meter: metrics.group("doubling"),
  });
  await Promise.all([1, 2, 3].map((item) => group.add(item)));
  await group.drain();
  const text = await metrics.registry.metrics();
  assert.match(text, /longwave_group_items_sum{group="doubling"} 3/);
  assert.match(text, /longwave_group_items_count{group="doubling"} 1/);
  assert.match(text, /longwave_group_write_duration_seconds_count{group="doubling"} 1/);
});

test("a group that is named at every write stays one series", async () => {
  const metrics = createMetrics(systemClock());
  for (const items of [1, 2, 3]) metrics.group("sends").start(items)();
  const text = await metrics.registry.metrics();
  const counts = text.split("\n").filter((line) => line.startsWith("longwave_group_items_count{"));
  assert.deepEqual(counts, [`longwave_group_items_count{group="sends"} 3`]);
});

test("the pool is read at each scrape", async () => {
  const metrics = createMetrics(systemClock());
  let waiting = 0;
  metrics.watchPool(() => ({ waiting, idle: 1, total: 4 }));
  waiting = 7;
  const text = await metrics.registry.metrics();
  assert.match(text, /longwave_database_pool_waiting 7/);
  assert.match(text, /longwave_database_pool_connections{state="busy"} 3/);
});
