import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { appendEventsFunction } from "./append-function.ts";
import { append, appendWithoutDelivery } from "./index.ts";

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
    "select j.endpoint_id, e.type, j.attempt, j.queue_state, j.due_at = e.created_at as at_once from webhook_jobs j join events e on e.shard = j.shard and e.id = j.event_id order by e.seq, j.endpoint_id",
  );
const PING = { type: "test.ping", mode: "test", data: { message: "hello" } } as const;
const NUMBER = {
  type: "number.purchased",
  mode: "test",
  data: { phone_number: "+15005550100", mode: "test" },
} as const;

test("an event and its deliveries commit in one transaction", async (t) => {
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
  assert.ok(found.every((row) => row.at_once && row.attempt === 1 && row.queue_state === "ready"));

  const undone = new Error("undo");
  const failing = kit.deps.db.tx(async (tx) => {
    await append(kit.deps, tx, owner, [PING]);
    throw undone;
  });
  await assert.rejects(failing, undone);
  assert.equal((await jobs(kit)).length, 3);

  await kit.deps.db.tx((tx) => appendWithoutDelivery(kit.deps, tx, owner, PING));
  assert.equal((await jobs(kit)).length, 3);
  const [{ count }] = await kit.rows("select count(*) as count from events");
  assert.equal(count, 3);
});

test("the function for groups numbers events, queues deliveries, and skips items without an event", async (t) => {
  const kit = await startKit(t);
  const { shard, id: accountId } = kit.account;
  await insertEndpoint(kit, 1, null);
  const at = new Date(kit.deps.clock.now());
  const ids = [kit.deps.ids.make(), null, kit.deps.ids.make()];
  const data = ids.map((_, index) => JSON.stringify({ message: `"${index}"` }));
  await kit.deps.db.query(appendEventsFunction.call, [
    shard,
    at,
    [accountId],
    null,
    ids.map(() => accountId),
    ids,
    ids.map(() => "test.ping"),
    ids.map(() => "test"),
    [],
    data,
  ]);
  assert.equal((await jobs(kit)).length, 2);
  const rows = await kit.rows("select seq, id, data from events order by seq");
  assert.deepEqual(rows, [
    { seq: 1, id: ids[0], data: { message: '"0"' } },
    { seq: 2, id: ids[2], data: { message: '"2"' } },
  ]);
});
