import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import test, { type TestContext } from "node:test";
import { Problem } from "@longwave/contract";
import { checkPassword, dummyHash, hashPassword } from "./passwords.ts";

type Done = (error: Error | null, key: Buffer) => void;

/** Records scrypt calls; the test completes each one with `finish`. */
function mockScrypt(t: TestContext) {
  const begun: { readonly password: string; readonly cost: object; readonly done: Done }[] = [];
  t.mock.method(
    crypto,
    "scrypt",
    (password: string, _salt: Buffer, _bytes: number, cost: object, done: Done) => {
      begun.push({ password, cost, done });
    },
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const names = () => begun.map(({ password }) => password);
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const finish = (index: number) => begun[index]?.done(null, Buffer.alloc(32));
  return { begun, names, tick, finish };
}

const HOME = "203.0.113.7";

test("passwords are hashed one at a time, even if a call arrives just as a hash ends", async (t) => {
  const { begun, names, tick, finish } = mockScrypt(t);
  const hashed = [hashPassword("first", HOME), hashPassword("second", HOME)];
  await tick();
  assert.deepEqual(names(), ["first"]);
  finish(0);
  // The third call arrives after the first hash ended and before the second one began.
  queueMicrotask(() => hashed.push(hashPassword("third", HOME)));
  await tick();
  assert.deepEqual(names(), ["first", "second"], "the waiting call runs next, alone");
  finish(1);
  await tick();
  assert.deepEqual(names(), ["first", "second", "third"]);
  finish(2);
  assert.equal(new Set(await Promise.all(hashed)).size, 3);
  const after = hashPassword("fourth", HOME);
  assert.equal(begun.length, 4, "the queue is empty");
  finish(3);
  await after;
});

test("a hash costs 32 MiB, and so does the comparison with a user who is not there", async (t) => {
  const { begun, finish } = mockScrypt(t);
  const hash = hashPassword("first", HOME);
  finish(0);
  assert.match(await hash, /^scrypt\$32768\$8\$1\$/);
  assert.match(dummyHash(), /^scrypt\$32768\$8\$1\$/);
  assert.deepEqual(begun[0]?.cost, { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
});

test("networks rotate, and the longest queue yields a slot when the limit is reached", async (t) => {
  const { names, tick, finish } = mockScrypt(t);
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
  await tick();
  assert.equal(refused.length, 8 * 20 - 100, "the queue is bounded");
  all.push(hash("192.0.2.1", "newcomer"));
  await tick();
  assert.equal(refused.length, 8 * 20 - 100 + 1);
  assert.ok(!refused.includes("newcomer"), "the newcomer displaced a waiter");
  for (let at = 0; at <= 9; at += 1) {
    finish(at);
    await tick();
  }
  assert.deepEqual(names().slice(0, 10), [
    "in hand",
    ...networks.map((_, at) => `flood ${at + 1}.1`),
    "newcomer",
  ]);
  for (let at = 10; at < 101; at += 1) {
    finish(at);
    await tick();
  }
  await Promise.all(all);
  assert.equal(names().length, 101);
});

test("a common password is refused in any case and with any digits after it", () => {
  const isRefused = (password: string) => {
    try {
      checkPassword(password);
      return false;
    } catch (error) {
      assert.ok(error instanceof Problem && error.details.param === "password");
      return true;
    }
  };
  const refused = [
    "password12345",
    "PassWord2026!",
    "Qwertyuiop12",
    "123456789012",
    "letmein-123456",
  ];
  assert.deepEqual(refused.filter(isRefused), refused);
  const accepted = [
    "correct horse battery",
    "another long password",
    "7 passwords a day",
    "271828182845",
  ];
  assert.deepEqual(accepted.filter(isRefused), []);
});
