import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import test from "node:test";
import { hashPassword } from "./passwords.ts";

type Done = (error: Error | null, key: Buffer) => void;

test("passwords are hashed one at a time, also where one comes just as another is done", async (t) => {
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

  const hashed = [hashPassword("first"), hashPassword("second")];
  await turn();
  assert.deepEqual(names(), ["first"]);
  finish(0);
  // After the first has ended and before the second, which waits, has gone on.
  queueMicrotask(() => hashed.push(hashPassword("third")));
  await turn();
  assert.deepEqual(names(), ["first", "second"], "whoever waited is next, and alone");
  finish(1);
  await turn();
  assert.deepEqual(names(), ["first", "second", "third"]);
  finish(2);
  assert.equal(new Set(await Promise.all(hashed)).size, 3);
  const after = hashPassword("fourth");
  assert.equal(begun.length, 4, "nobody is left in front");
  finish(3);
  await after;
});
