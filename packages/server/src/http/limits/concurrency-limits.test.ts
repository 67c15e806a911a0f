import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type RouteSpec, routes } from "@longwave/contract";
import { until } from "../../../testing/until.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { createConcurrencyLimits, type LimitKind, limitKindOf } from "./concurrency-limits.ts";

/** Calls of one kind, each with three steps: started, answered, read by its client. */
function createCalls(unreadMsMax: number) {
  const withinLimit = createConcurrencyLimits(unreadMsMax);
  const begun: string[] = [];
  const begin = (name: string, limitKind: LimitKind, accountId: string) => {
    const response = new EventEmitter();
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    let ready = () => {};
    const work = () => {
      begun.push(name);
      return new Promise<void>((resolve) => {
        ready = resolve;
      });
    };
    const exchange = { request: { socket }, response } as unknown as Exchange;
    const done = withinLimit({ limitKind }, exchange, accountId, work);
    return {
      socket,
      ready() {
        ready();
        return done;
      },
      take: () => response.emit("close"),
      leave: () => socket.emit("close"),
    };
  };
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { begin, begun, settled };
}

describe("concurrency limits", () => {
  it("lists are recognised by their pages, heavy calls by the route table", () => {
    const kinds: Record<string, LimitKind | null> = {
      "events.list": "list",
      "messages.list": "list",
      "batches.recipients": "long_list",
      "events.wait": null,
      "messages.send": null,
      "contacts.import": "heavy",
      "usage.get": "alone",
      "exports.contacts": "stream",
    };
    for (const [name, kind] of Object.entries(kinds)) {
      assert.equal(limitKindOf(routes[name as keyof typeof routes] as RouteSpec), kind, name);
    }
  });

  it("four lists of an account run until their answers are sent; other calls pass", async () => {
    const { begin, begun, settled } = createCalls(60_000);
    const calls = ["1", "2", "3", "4", "5", "6", "7"].map((name) => begin(name, "list", "a"));
    await settled();
    assert.deepEqual(begun, ["1", "2", "3", "4"]);
    begin("another account's", "list", "b");
    begin("of another kind", "heavy", "a");
    await settled();
    assert.deepEqual(begun.splice(0), [
      ...["1", "2", "3", "4"],
      "another account's",
      "of another kind",
    ]);
    await calls[0]?.ready();
    await settled();
    assert.deepEqual(begun, [], "an answer that is ready and not taken still has its turn");
    calls[0]?.take();
    await settled();
    assert.deepEqual(begun, ["5"]);
    // A disconnected client releases its slot, once.
    calls[1]?.leave();
    calls[1]?.take();
    await settled();
    assert.deepEqual(begun, ["5", "6"]);
    assert.equal(calls[1]?.socket.listenerCount("close"), 0);
  });

  it("no work starts for a client that disconnected while waiting", async () => {
    const { begin, begun, settled } = createCalls(60_000);
    const calls = ["1", "2", "gone", "3"].map((name) => begin(name, "heavy", "a"));
    await settled();
    Object.assign(calls[2]?.socket ?? {}, { destroyed: true });
    calls[0]?.take();
    await assert.rejects(calls[2]?.ready() ?? Promise.resolve(), /broke off/);
    assert.deepEqual(begun, ["1", "2", "3"]);
  });

  it("an unread answer releases its slot after a while, a stream does not", async () => {
    const { begin, begun } = createCalls(20);
    const unread = Array.from({ length: 4 }, (_, index) => begin(`list ${index}`, "list", "a"));
    const streams = [begin("stream 1", "stream", "a"), begin("stream 2", "stream", "a")];
    begin("next list", "list", "a");
    begin("next stream", "stream", "a");
    await until(() => begun.length === 6);
    for (const call of [...unread, ...streams]) await call.ready();
    await until(() => begun.includes("next list"));
    await sleep(40);
    assert.equal(begun.includes("next stream"), false);
    streams[0]?.take();
    await until(() => begun.includes("next stream"));
  });
});
