import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { emit } from "../../../testing/hook-receiver.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";

const list = (kit: Kit, query = "") => kit.request("GET", `/v1/events${query}`);

test("events are listed newest first, by type and time, page by page", async (t) => {
  const kit = await startKit(t);
  await emit(kit, 3, "number.purchased");
  await kit.advance(100);
  const middle = kit.deps.clock.now();
  await kit.advance(100);
  await emit(kit, 4, "test.ping");
  const all = (await list(kit)).body.data;
  assert.equal(all.length, 7);
  assert.deepEqual(Object.keys(all[0]), ["id", "object", "type", "mode", "created_at", "data"]);
  const ids = all.map((event: { id: string }) => event.id);
  assert.deepEqual(ids, ids.toSorted().toReversed());
  const count = async (query: string) => (await list(kit, query)).body.data.length;
  assert.equal(await count("?type=test.ping"), 4);
  assert.equal(await count(`?created_after=${new Date(middle).toISOString()}`), 4);
  assert.equal(await count(`?created_before=${middle}`), 3);
  assert.equal(await count(`?created_before=${middle}&type=test.ping`), 0);
  // The range includes its start and excludes its end.
  const { created_at } = all[0];
  assert.equal(await count(`?created_after=${created_at}`), 4);
  assert.equal(await count(`?created_before=${created_at}`), 3);

  const seen: string[] = [];
  let cursor = "";
  for (let pages = 0; pages < 10; pages += 1) {
    const { body } = await list(kit, `?limit=2${cursor}`);
    seen.push(...body.data.map((event: { id: string }) => event.id));
    // Events added meanwhile neither repeat nor shift a page.
    await emit(kit);
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, ids);
});

test("events are found by the number that they name as a whole value", async (t) => {
  const kit = await startKit(t);
  const from = "+15005550100";
  await giveNumber(kit, { phone: from });
  const send = (to: string, body: string) =>
    kit.request("POST", "/v1/messages", { body: { from, to, body } });
  await send("+15005550000", "Hi");
  const quoted = 'Call "+15005550000" or +15005550000';
  await kit.api.test.inbound({ from: "+14155552671", to: from, body: quoted });
  const found = async (query: string) =>
    (await list(kit, query)).body.data.map((event: { type: string }) => event.type);
  const sent = await found("?phone=%2B15005550000&type=message.sent");
  assert.deepEqual(sent, ["message.sent"]);
  assert.deepEqual(await found("?phone=(415)%20555-2671&type=message.received"), [
    "message.received",
  ]);
  assert.deepEqual(await found("?phone=%2B15005550000&type=message.received"), []);
  assert.deepEqual(await found("?phone=%2B14155550199"), []);
  assertRefused(await list(kit, "?phone=x"), 400, "invalid_request", "phone");
});

test("an event is deleted after 30 days", async (t) => {
  const kit = await startKit(t);
  await emit(kit);
  await kit.advance(29 * 86_400);
  await emit(kit);
  assert.equal((await list(kit)).body.data.length, 2);
  await kit.advance(86_400 + 60);
  assert.equal((await list(kit)).body.data.length, 1);
});

test("an invalid filter is refused", async (t) => {
  const kit = await startKit(t);
  for (const [query, param] of [
    ["?type=message.unheard_of", "type"],
    ["?type=*", "type"],
    ["?created_after=yesterday", "created_after"],
    ["?created_before=2026-01-01T00:00:00", "created_before"],
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?cursor=abc", "cursor"],
    ["?kind=x", "kind"],
  ]) {
    const answer = await list(kit, query);
    assert.equal(answer.status, 400, query);
    assert.equal(answer.body.error.param, param, query);
  }
});
