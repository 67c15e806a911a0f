import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createEventHints } from "./notifications.ts";

const ACCOUNTS_MANY = 450;

test("sends the first hint at once, later ones together, and each account once", async () => {
  const sent: string[][] = [];
  const other = createEventHints(async () => {});
  const hints = createEventHints(async (payload) => void sent.push([...other.heard(payload)]));
  hints.add("a");
  assert.deepEqual(sent, [["a"]]);
  for (const account of ["b", "c", "b", "a"]) hints.add(account);
  assert.deepEqual(sent, [["a"]], "they wait for each other");
  while (sent.length < 2) await sleep(1);
  assert.deepEqual(sent[1], ["b", "c", "a"]);
  await hints.close();
});

test("sends pending hints on close, and nothing afterwards", async () => {
  const sent: string[] = [];
  const hints = createEventHints(async (payload) => void sent.push(payload));
  hints.add("a");
  hints.add("b");
  await hints.close();
  hints.add("c");
  assert.deepEqual(
    sent.map((payload) => payload.split(" ").slice(1)),
    [["a"], ["b"]],
  );
});

test("ignores its own hints, and keeps payloads within PostgreSQL's limit", async () => {
  const sent: string[] = [];
  const hints = createEventHints(async (payload) => void sent.push(payload));
  const other = createEventHints(async () => {});
  hints.add("first");
  const accounts = Array.from({ length: ACCOUNTS_MANY }, () => crypto.randomUUID());
  for (const account of accounts) hints.add(account);
  await hints.close();
  assert.deepEqual(
    sent.flatMap((payload) => other.heard(payload)),
    ["first", ...accounts],
  );
  assert.deepEqual(
    sent.flatMap((payload) => hints.heard(payload)),
    [],
  );
  for (const payload of sent) assert.ok(payload.length < 8_000, `${payload.length} bytes`);
});
