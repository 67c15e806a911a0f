import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emit } from "../../../testing/hook-receiver.ts";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { openLongPoll } from "../../../testing/long-poll.ts";
import { watchRoundTrips } from "../../../testing/round-trips.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { createAccount } from "../../account/accounts/index.ts";
import { createKey } from "../../account/keys/index.ts";
import { DatabaseUnavailable } from "../../core/db/driver/failures.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { yieldToEventLoop } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { append } from "./index.ts";
import { appendEvents } from "./sql.ts";

/** A busy machine may add this many of its own round trips. */
const ROUND_TRIPS = 50;

const wait = async (kit: Kit, query: string, key?: string) =>
  (await kit.request("GET", `/v1/events/wait${query}`, key ? { key } : {})).body;
const start = async (kit: Kit): Promise<string> => (await wait(kit, "")).cursor;
const idsOf = (events: readonly { id: string }[]) => events.map((event) => event.id);

describe("long polls for events", () => {
  const suite = suiteKit();

  it("the first call starts now; later calls return newer events, oldest first", async () => {
    const kit = await secondAccount(suite());
    await emit(kit, 3);
    const first = await wait(kit, "");
    assert.deepEqual(first, {
      object: "event_wait",
      data: [],
      cursor: first.cursor,
      has_more: false,
    });
    assert.deepEqual((await wait(kit, `?cursor=${first.cursor}&timeout=0`)).data, []);
    await emit(kit, 150);
    const second = await wait(kit, `?cursor=${first.cursor}`);
    assert.equal(second.data.length, 100);
    assert.equal(second.has_more, true);
    const third = await wait(kit, `?cursor=${second.cursor}`);
    assert.equal(third.data.length, 50);
    assert.equal(third.has_more, false);
    const newest = (await kit.request("GET", "/v1/events?limit=100")).body.data;
    const received = idsOf([...second.data, ...third.data]);
    assert.deepEqual(received.slice(50), idsOf(newest).toReversed());
    assert.deepEqual(received, received.toSorted());
  });

  it("a waiting call times out with a cursor that continues", async () => {
    const kit = await secondAccount(suite());
    const cursor = await start(kit);
    const longer = openLongPoll(kit, cursor, 25);
    const startedAt = performance.now();
    const empty = await wait(kit, `?cursor=${cursor}&timeout=1`);
    const tookMs = performance.now() - startedAt;
    assert.deepEqual(empty.data, []);
    assert.ok(tookMs >= 950, `${tookMs}`);
    assert.equal(kit.deps.eventWaits.waitingCount, 1, "one with more time is still held");
    longer.request.destroy();
    await until(() => kit.deps.eventWaits.waitingCount === 0);
    await emit(kit);
    assert.equal((await wait(kit, `?cursor=${empty.cursor}`)).data.length, 1);
  });

  it("an event of any process wakes its account's waiters, and no others", async (t) => {
    const kit = await secondAccount(suite());
    const other = await startKitOn(t, kit.connection);
    const cursor = await start(kit);
    const foreign = other.testKey;
    const foreignCursor = (await wait(kit, "", foreign)).cursor;
    // Without the poll that covers lost notifications.
    const { setInterval } = globalThis;
    t.after(() => void Object.assign(globalThis, { setInterval }));
    Object.assign(globalThis, { setInterval: () => setTimeout(() => {}, 0) });
    const held = wait(kit, `?cursor=${cursor}&timeout=25`);
    const heldForeign = wait(kit, `?cursor=${foreignCursor}&timeout=25`, foreign);
    await until(() => kit.deps.eventWaits.waitingCount === 2);
    await emit({ ...kit, deps: other.deps });
    assert.equal((await held).data.length, 1);
    assert.equal(kit.deps.eventWaits.waitingCount, 1, "the other still waits");
    await emit(other);
    const { data } = await heldForeign;
    assert.equal(data.length, 1, "for its own");
  });

  it("an event without a notification is found by polling", async () => {
    const kit = await secondAccount(suite());
    const held = wait(kit, `?cursor=${await start(kit)}&timeout=20`);
    await until(() => kit.deps.eventWaits.waitingCount === 1);
    const rows = [
      { ord: 0, id: kit.deps.ids.make(), type: "test.ping", mode: "test", data: '{"message":"-"}' },
    ];
    const now = new Date(kit.deps.clock.now());
    const values = [kit.account.shard, kit.account.id, JSON.stringify(rows), now];
    const roundTripMs = watchRoundTrips(kit);
    const startedAt = performance.now();
    await kit.deps.db.query(appendEvents, values);
    // A timed-out call would return nothing.
    assert.equal((await held).data.length, 1);
    assert.ok(performance.now() - startedAt < 5_000 + ROUND_TRIPS * (await roundTripMs()));
  });

  it("no event is missed while transactions of two processes commit late", async (t) => {
    const kit = await secondAccount(suite());
    const second = await startKitOn(t, kit.connection);
    const writers = [kit.deps, second.deps];
    const owner = { shard: kit.account.shard, accountId: kit.account.id };
    const EVENTS = 400;
    const UNDONE = new Error("undone");
    let committed = 0;
    let isWritten: boolean = false;
    /** Follows the log from now until every event is written and read. */
    const follow = async (served: Kit): Promise<Set<string>> => {
      const received = new Set<string>();
      let cursor = (await wait(served, "", kit.testKey)).cursor;
      for (;;) {
        const wasWritten = isWritten;
        const answer = await wait(served, `?cursor=${cursor}&timeout=1`, kit.testKey);
        const seen = idsOf(answer.data);
        assert.deepEqual(seen, [...new Set(seen)]);
        for (const id of seen) received.add(id);
        cursor = answer.cursor;
        if (wasWritten && answer.data.length === 0) return received;
      }
    };
    const followers = [kit, kit, second, second, kit].map(follow);
    await until(
      () => kit.deps.eventWaits.waitingCount === 3 && second.deps.eventWaits.waitingCount === 2,
    );
    const write = async (index: number, triesLeft = 5): Promise<void> => {
      const deps = writers[index % 2] ?? kit.deps;
      const work = deps.db.tx(async (tx) => {
        // Some transactions begin long before they number their events, some keep the numbering locked.
        await tx.query(composed("begin_early", sql`select 1`));
        if (index % 3 === 0) await others((index * 7) % 90);
        await append(deps, tx, owner, [
          { type: "test.ping", mode: "test", data: { message: `${index}` } },
        ]);
        if (index % 5 === 0) await others((index * 7) % 30);
        if (index % 40 === 39) throw UNDONE;
      });
      try {
        await work;
        committed += 1;
      } catch (error) {
        // On a busy machine a lock may time out; the caller retries.
        if (error instanceof DatabaseUnavailable && triesLeft > 0)
          return write(index, triesLeft - 1);
        if (error !== UNDONE) throw error;
      }
    };
    const lane = async (first: number) => {
      for (let index = first; index < EVENTS; index += 8) await write(index);
    };
    await Promise.all(Array.from({ length: 8 }, (_, first) => lane(first)));
    isWritten = true;
    const rows = await kit.rows("select seq, id from events where account_id = $1 order by seq", [
      kit.account.id,
    ]);
    assert.equal(committed, EVENTS - EVENTS / 40);
    // No gaps: a rolled-back transaction takes no number.
    assert.deepEqual(
      rows.map((row) => row.seq),
      Array.from({ length: committed }, (_, index) => index + 1),
    );
    for (const received of await Promise.all(followers)) assert.equal(received.size, committed);
  });

  it("a client that disconnects frees its slot", async () => {
    const kit = await secondAccount(suite());
    const cursor = await start(kit);
    const held = Array.from({ length: 20 }, () => openLongPoll(kit, cursor, 25));
    await until(() => kit.deps.eventWaits.waitingCount === 20);
    for (const one of held.slice(0, 15)) one.request.destroy();
    await until(() => kit.deps.eventWaits.waitingCount === 5);
    await emit(kit);
    for (const one of held.slice(15)) assert.equal((await one.answer).data.length, 1);
    await Promise.allSettled(held.map((one) => one.answer));
  });

  it("one account has at most a hundred waiting calls, over all keys; the next is refused", async () => {
    const kit = await secondAccount(suite());
    const cursor = await start(kit);
    const id = toApiId("account", kit.account.id);
    const second = await kit.operator("POST", `/accounts/${id}/keys`, { mode: "test" });
    const other = await kit.operator("POST", "/accounts", { name: "Other" });
    const minted = await kit.operator("POST", `/accounts/${other.body.id}/keys`, { mode: "test" });
    const held = Array.from({ length: 100 }, () => openLongPoll(kit, cursor, 25));
    await until(() => kit.deps.eventWaits.waitingCount === 100, 30_000);
    for (const key of [kit.testKey, second.body.key]) {
      const refused = await kit.request("GET", `/v1/events/wait?cursor=${cursor}`, { key });
      assert.equal(refused.status, 429);
      assert.equal(refused.body.error.code, "rate_limited");
      assert.ok(refused.headers.get("retry-after"));
    }
    assert.deepEqual((await wait(kit, `?cursor=${cursor}&timeout=0`)).data, []);
    // Another account's calls wait as usual.
    const foreign = (await wait(kit, "", minted.body.key)).cursor;
    const asked = await kit.request("GET", `/v1/events/wait?cursor=${foreign}&timeout=1`, {
      key: minted.body.key,
    });
    assert.equal(asked.status, 200);
    await emit(kit);
    await Promise.all(held.map((one) => one.answer));
  });

  it("a cursor must be the account's own, unmodified, and not too old", async () => {
    const kit = await secondAccount(suite());
    const cursor = await start(kit);
    const other = await kit.deps.db.tx(async (tx) => {
      const account = await createAccount(kit.deps, tx, "Other");
      return createKey(kit.deps, tx, account, { mode: "test", name: null, scopes: null });
    });
    const list = (await kit.request("GET", "/v1/events?limit=1")).body.next_cursor;
    const refusals: [string, string | undefined][] = [
      [`?timeout=0&cursor=${cursor}`, other.key ?? ""],
      [`?timeout=0&cursor=${cursor.slice(0, -2)}${cursor.endsWith("xx") ? "yy" : "xx"}`, undefined],
      [`?timeout=0&cursor=${list ?? "abc"}`, undefined],
      ["?timeout=0&cursor=", undefined],
    ];
    for (const [query, key] of refusals) {
      const body = await wait(kit, query, key);
      assert.equal(body.error?.param, "cursor", query);
    }
    for (const timeout of ["26", "-1", "1.5", "soon"]) {
      assert.equal((await wait(kit, `?timeout=${timeout}`)).error.param, "timeout");
    }
    await kit.advance(29 * 86_400);
    assert.deepEqual((await wait(kit, `?timeout=0&cursor=${cursor}`)).data, []);
    await kit.advance(2 * 86_400);
    assert.equal((await wait(kit, `?timeout=0&cursor=${cursor}`)).error.param, "cursor");
  });

  // The last test: no call waits on this server after it.
  it("a stopping server answers its waiting calls", async () => {
    const kit = await secondAccount(suite());
    const held = openLongPoll(kit, await start(kit), 25);
    await until(() => kit.deps.eventWaits.waitingCount === 1);
    const roundTripMs = watchRoundTrips(kit);
    const startedAt = performance.now();
    kit.deps.eventWaits.stop();
    assert.deepEqual((await held.answer).data, []);
    assert.ok(performance.now() - startedAt < 2_000 + ROUND_TRIPS * (await roundTripMs()));
  });
});

/** Yields to other work for some ticks of the event loop. */
async function others(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await yieldToEventLoop();
}
