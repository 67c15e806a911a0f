import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { readMigrations } from "../core/db/schema/migrate.ts";
import { FUNCTIONS } from "./functions.ts";

test("every function is installed by one migration, with the text in the source", async () => {
  const migrations = await readMigrations();
  for (const { name, text } of FUNCTIONS) {
    const installing = migrations.filter((one) => one.text.includes(`create function ${name}(`));
    assert.equal(installing.length, 1, `${name} is installed by one migration`);
    assert.ok(
      installing[0]?.text.includes(text),
      `${name} differs from its migration. Run: npm run generate`,
    );
  }
});

test("a function has its version in its name and the shard as its first parameter", () => {
  for (const { name, parameters, text } of FUNCTIONS) {
    assert.match(name, /_v\d+$/);
    assert.equal(parameters[0]?.name, "of_shard");
    // Called functions are versioned and ours, too.
    for (const [, called] of text.matchAll(/(?:perform|:=) (\w+_v\d+)\(/g)) {
      assert.ok(FUNCTIONS.some((one) => one.name === called));
    }
  }
});

/** Test of each function, below packages/server/src. */
const TESTS: Readonly<Record<string, string>> = {
  append_events_v1: "events/log/append-function.test.ts",
  accept_messages_v1: "messaging/outbound/accept.test.ts",
  settle_accepted_v1: "messaging/messages/functions.test.ts",
  settle_messages_v1: "messaging/messages/functions.test.ts",
  apply_receipts_v1: "messaging/messages/functions.test.ts",
  apply_simulated_receipts_v1: "messaging/messages/functions.test.ts",
  send_batch_chunk_v1: "messaging/batches/send-chunk.test.ts",
  follow_batch_v1: "messaging/batches/on-message-status.test.ts",
};

test("every function has a test", () => {
  assert.deepEqual(new Set(FUNCTIONS.map(({ name }) => name)), new Set(Object.keys(TESTS)));
  for (const path of Object.values(TESTS)) {
    assert.ok(existsSync(new URL(`../${path}`, import.meta.url)), path);
  }
});
