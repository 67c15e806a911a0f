import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { LOCK_ORDER, tablesToLock } from "./lock-order.ts";

/** Functions on a message's way; each locks the account first. */
const OF_TEXTS = [
  "accept_messages_v1",
  "settle_messages_v1",
  "settle_accepted_v1",
  "apply_receipts_v1",
  "apply_simulated_receipts_v1",
  "append_events_v1",
];

/** Tables that a function names, in order of their first occurrence. */
async function tablesOf(name: string): Promise<string[]> {
  const schema = await readFile(new URL("schema.sql", import.meta.url), "utf8");
  const tables = new Set(
    Array.from(schema.matchAll(/^create table (\w+)/gm), ([, table]) => table),
  );
  const body = schema.split(`FUNCTION ${name}(`)[1]?.split("$function$;")[0];
  assert.ok(body, `the schema has no function ${name}`);
  const named = Array.from(
    body.matchAll(/\b(?:from|join|into|update)\s+(\w+)/g),
    ([, table]) => table ?? "",
  );
  return [...new Set(named)].filter((table) => tables.has(table));
}

test("lists tables in the lock order of accepting a message and appending events", async () => {
  const inOrder = [
    ...new Set([
      ...(await tablesOf("accept_messages_v1")),
      ...(await tablesOf("append_events_v1")),
    ]),
  ];
  // Messages only read webhook_endpoints, which a migration locks for a moment at most.
  assert.deepEqual(
    inOrder.filter((table) => table !== "webhook_endpoints"),
    [...LOCK_ORDER],
  );
});

for (const name of OF_TEXTS) {
  test(`${name} locks the account before anything else`, async () => {
    assert.equal((await tablesOf(name))[0], LOCK_ORDER[0]);
  });
}

test("locks the account table first, then the others in order, for a migration of several message tables", () => {
  const text = `
    alter table events add column is_new boolean;
    create unique index concurrently if not exists by_hour on delivery_hours (hour);
    alter table if exists only messages add column is_new boolean;`;
  assert.deepEqual(tablesToLock(text), [
    "account_counters",
    "messages",
    "delivery_hours",
    "events",
  ]);
});

test("locks nothing in advance for a migration of a single message table", () => {
  const text =
    "alter table messages add column a int; alter table contacts add column a int; create table t (a int);";
  assert.deepEqual(tablesToLock(text), []);
});
