import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { LOCK_ORDER, tablesToLock } from "./lock-order.ts";

/** Functions that a text goes through, which lock its account before anything else. */
const OF_TEXTS = [
  "accept_messages_v1",
  "accept_alike_v1",
  "settle_messages_v1",
  "settle_accepted_v1",
  "apply_receipts_v1",
  "bring_receipts_v1",
  "bring_free_receipts_v1",
  "tell_v1",
];

/** The tables that a function of the schema names, each where it is named first. */
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

test("tables are locked in the order in which a text is accepted and told", async () => {
  const inOrder = [
    ...new Set([...(await tablesOf("accept_messages_v1")), ...(await tablesOf("tell_v1"))]),
  ];
  // Endpoints are read, and no text locks one against a migration for longer than that.
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

test("a migration that changes several tables of texts takes the account's first, and these in order", () => {
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

test("a migration that changes one table of texts, and others, takes nothing beforehand", () => {
  const text =
    "alter table messages add column a int; alter table contacts add column a int; create table t (a int);";
  assert.deepEqual(tablesToLock(text), []);
});
