import assert from "node:assert/strict";
import { test } from "node:test";
import { readTogether } from "./read-together.ts";

test("keys that are asked for together are read with one call per place", async () => {
  const calls: (readonly [string, readonly string[]])[] = [];
  const read = readTogether<string>(async (place, keys) => {
    calls.push([place, keys]);
    return new Map(keys.filter((key) => key !== "none").map((key) => [key, `${place} ${key}`]));
  });
  const asked = [read("a", "1"), read("a", "2"), read("b", "1"), read("a", "1"), read("a", "none")];
  assert.deepEqual(await Promise.all(asked), ["a 1", "a 2", "b 1", "a 1", null]);
  assert.deepEqual(calls, [
    ["a", ["1", "2", "none"]],
    ["b", ["1"]],
  ]);
  assert.equal(await read("a", "1"), "a 1", "a later key is read by a call of its own");
  assert.equal(calls.length, 3);
});

test("a call has at most 100 keys, and a failed call answers null", async () => {
  const sizes: number[] = [];
  const read = readTogether<string>((_place, keys) => {
    sizes.push(keys.length);
    return Promise.reject(new Error("refused"));
  });
  const values = await Promise.all(Array.from({ length: 150 }, (_, at) => read("a", `${at}`)));
  assert.deepEqual(sizes, [100, 50]);
  assert.ok(values.every((value) => value === null));
});
