import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeUuid } from "@longwave/contract";
import { systemClock } from "./clock.ts";
import { createIds, firstNeighbour, firstUuidAt, fromApiId, toApiId, uuidTime } from "./ids.ts";
import { systemRandom } from "./random.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are UUIDs of version 7 that carry their time", () => {
  const ids = createIds(systemClock(), systemRandom());
  for (const ms of [0, 1, 2 ** 32 - 1, 2 ** 32, Date.UTC(2026, 10, 15), 2 ** 48 - 1]) {
    const id = ids.makeAt(ms);
    assert.match(id, UUID_V7);
    assert.equal(uuidTime(id), ms);
    assert.ok(id >= firstUuidAt(ms));
  }
});

test("ids of one process sort by the order in which they were made", () => {
  const ids = createIds(systemClock(), systemRandom());
  const ms = Date.UTC(2026, 10, 15);
  const made = Array.from({ length: 3_000 }, () => ids.makeAt(ms));
  assert.deepEqual(
    made,
    [...made].sort((a, b) => (a < b ? -1 : 1)),
  );
  assert.equal(new Set(made).size, made.length);
});

test("a run of ids is in order, and sixteen at a time differ in their last digit only", () => {
  const ids = createIds(systemClock(), systemRandom());
  const ms = Date.UTC(2026, 10, 15);
  const made = [...ids.makeRun(ms, 37), ...ids.makeRun(ms, 1), ids.makeAt(ms)];
  assert.deepEqual(
    made,
    [...made].sort((a, b) => (a < b ? -1 : 1)),
  );
  assert.equal(new Set(made).size, 39);
  for (const id of made) assert.match(id, UUID_V7);
  const sizes = new Map<string, number>();
  for (const id of made.slice(0, -1)) {
    sizes.set(firstNeighbour(id), (sizes.get(firstNeighbour(id)) ?? 0) + 1);
  }
  assert.deepEqual([...sizes.values()], [16, 16, 5, 1]);
  assert.deepEqual(ids.makeRun(ms, 0), []);
});

test("makeText gives the 26 characters of a UUIDv7", () => {
  const clock = systemClock();
  const ids = createIds(clock, systemRandom());
  const before = clock.now();
  const uuid = decodeUuid(ids.makeText());
  assert.match(uuid ?? "", UUID_V7);
  assert.ok(uuidTime(uuid ?? "") >= before && uuidTime(uuid ?? "") <= clock.now());
  const made = Array.from({ length: 2_000 }, () => ids.makeText());
  assert.equal(new Set(made).size, made.length);
});

test("an API id parses as its own kind only", () => {
  const uuid = createIds(systemClock(), systemRandom()).make();
  assert.equal(fromApiId("message", toApiId("message", uuid)), uuid);
  assert.equal(fromApiId("event", toApiId("message", uuid)), null);
});
