import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import test, { type TestContext } from "node:test";
import { Problem } from "@longwave/contract";
import { hashPassword } from "./passwords.ts";

type Done = (error: Error | null, key: Buffer) => void;

/** Hashes that begin when the line lets them, and end when the test says so. */
function heldHashes(t: TestContext) {
  const begun: { readonly password: string; readonly done: Done }[] = [];
  t.mock.method(
    crypto,
    "scrypt",
    (password: string, _salt: Buffer, _bytes: number, _cost: object, done: Done) => {
      begun.push({ password, done });
    },
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const names = () => begun.map(({ password }) => password);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const finish = (index: number) => begun[index]?.done(null, Buffer.alloc(32));
  return { begun, names, turn, finish };
}

const HOME = "203.0.113.7";

test("passwords are hashed one at a time, also where one comes just as another is done", async (t) => {
  const { begun, names, turn, finish } = heldHashes(t);
  const hashed = [hashPassword("first", HOME), hashPassword("second", HOME)];
  await turn();
  assert.deepEqual(names(), ["first"]);
  finish(0);
  // After the first has ended and before the second, which waits, has gone on.
  queueMicrotask(() => hashed.push(hashPassword("third", HOME)));
  await turn();
  assert.deepEqual(names(), ["first", "second"], "whoever waited is next, and alone");
  finish(1);
  await turn();
  assert.deepEqual(names(), ["first", "second", "third"]);
  finish(2);
  assert.equal(new Set(await Promise.all(hashed)).size, 3);
  const after = hashPassword("fourth", HOME);
  assert.equal(begun.length, 4, "nobody is left in front");
  finish(3);
  await after;
});

test("networks take turns, and the one with the longest line makes room in a full one", async (t) => {
  const { names, turn, finish } = heldHashes(t);
  const refused: string[] = [];
  const hash = (network: string, name: string) =>
    hashPassword(name, network).catch((error: unknown) => {
      assert.ok(error instanceof Problem && error.code === "rate_limited");
      refused.push(name);
    });
  const networks = Array.from({ length: 8 }, (_, at) => `198.51.100.${at + 1}`);
  const all = [hash(HOME, "in hand")];
  for (let round = 1; round <= 20; round += 1) {
    all.push(...networks.map((network, at) => hash(network, `flood ${at + 1}.${round}`)));
  }
  await turn();
  assert.equal(refused.length, 8 * 20 - 100, "the line is bounded");
  all.push(hash("192.0.2.1", "newcomer"));
  await turn();
  assert.equal(refused.length, 8 * 20 - 100 + 1);
  assert.ok(!refused.includes("newcomer"), "a place was made for the newcomer");
  for (let at = 0; at <= 9; at += 1) {
    finish(at);
    await turn();
  }
  assert.deepEqual(names().slice(0, 10), [
    "in hand",
    ...networks.map((_, at) => `flood ${at + 1}.1`),
    "newcomer",
  ]);
  for (let at = 10; at < 101; at += 1) {
    finish(at);
    await turn();
  }
  await Promise.all(all);
  assert.equal(names().length, 101);
});
