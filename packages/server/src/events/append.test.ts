import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kit, startKit } from "../../testing/kit.ts";
import { statement } from "../db/statement.ts";
import { append, appendQuietly } from "./index.ts";
import { eventCtes } from "./sql.ts";

const insertEndpoint = (kit: Kit, slot: number, events: string | null, active = true) =>
  kit.rows(
    `insert into webhook_endpoints
       (shard, account_id, id, slot, url, events, active, secret, created_at)
     values ($1, $2, gen_random_uuid(), $3, 'https://example.com/', $4, $5, '', now())
     returning id`,
    [kit.account.shard, kit.account.id, slot, events, active],
  );
const jobs = (kit: Kit) =>
  kit.rows(
    "select j.endpoint_id, e.type, j.attempt, j.place, j.due_at = e.created_at as at_once from webhook_jobs j join events e on e.id = j.event_id order by e.seq, j.endpoint_id",
  );
const PING = { type: "test.ping", data: { message: "hello" } } as const;
const NUMBER = {
  type: "number.purchased",
  data: { phone_number: "+15005550100", mode: "test" },
} as const;

test("an event and its deliveries are one transaction", async (t) => {
  const kit = await startKit(t);
  const owner = { shard: kit.account.shard, accountId: kit.account.id };
  const [all] = await insertEndpoint(kit, 1, null);
  const [pings] = await insertEndpoint(kit, 2, "{test.ping}");
  await insertEndpoint(kit, 3, null, false);
  await insertEndpoint(kit, 4, "{message.sent}");

  await kit.deps.db.tx((tx) => append(kit.deps, tx, owner, [PING, NUMBER]));
  const found = await jobs(kit);
  const asTold = (row: { endpoint_id: string; type: string }) => `${row.endpoint_id} ${row.type}`;
  assert.equal(found.length, 3);
  assert.deepEqual(
    new Set(found.map(asTold)),
    new Set([`${all.id} test.ping`, `${all.id} number.purchased`, `${pings.id} test.ping`]),
  );
  assert.ok(found.every((row) => row.at_once && row.attempt === 1 && row.place === "open"));

  const undone = new Error("undo");
  const failing = kit.deps.db.tx(async (tx) => {
    await append(kit.deps, tx, owner, [PING]);
    throw undone;
  });
  await assert.rejects(failing, undone);
  assert.equal((await jobs(kit)).length, 3);

  await kit.deps.db.tx((tx) => appendQuietly(kit.deps, tx, owner, PING));
  assert.equal((await jobs(kit)).length, 3);
  const [{ count }] = await kit.rows("select count(*) as count from events");
  assert.equal(count, 3);
});

test("the fragment of group statements numbers events and queues deliveries", async (t) => {
  const kit = await startKit(t);
  const { shard, id: accountId } = kit.account;
  await insertEndpoint(kit, 1, null);
  const group = statement(
    "test_event_group",
    `with i as (
       select * from jsonb_to_recordset($2::jsonb)
         as x (account_id uuid, event_ord int, event_id uuid, event_type text,
               event_customer_id uuid, event_data json, event_at timestamptz)
     ), a as (
       select account_id, event_seq from account_counters where shard = $1 and account_id = any($3::uuid[])
     ), ${eventCtes("i", "a")}
     update account_counters c set event_seq = c.event_seq + e.events
       from event_counts e where c.shard = $1 and c.account_id = e.account_id`,
  );
  const at = new Date(kit.deps.clock.now()).toISOString();
  const item = (ord: number, type: string | null) => ({
    account_id: accountId,
    event_ord: ord,
    event_id: type && kit.deps.ids.make(),
    event_type: type,
    event_customer_id: null,
    event_data: { message: "hello" },
    event_at: at,
  });
  const items = [item(0, "test.ping"), item(1, null), item(2, "test.ping")];
  await kit.deps.db.query(group, [shard, JSON.stringify(items), [accountId]]);
  assert.equal((await jobs(kit)).length, 2);
  const rows = await kit.rows("select seq from events order by seq");
  assert.deepEqual(
    rows.map((row) => row.seq),
    [1, 2],
  );
});
