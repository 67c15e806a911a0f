import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DELIVERABILITY_HOURS_MAX } from "@longwave/contract";
import { fromApiId } from "../../src/core/platform/ids.ts";
import { createVisitors } from "../../testing/console-users.ts";
import { giveNumber } from "../../testing/give-number.ts";
import { secondAccount } from "../../testing/live.ts";
import { suiteKit } from "../../testing/suite.ts";

const FIRST = "+15005550100";
const SECOND = "+15005550101";
const ALONE = "+15005550102";

describe("traffic of a number and of a pool", () => {
  const kit = suiteKit();
  const { call, asOwner } = createVisitors(kit);

  it("counts only that number or pool, and only in the reader's account", async () => {
    const { cookie, account } = await asOwner();
    for (const phone of [FIRST, SECOND, ALONE]) await giveNumber(kit(), { phone });
    const { api } = kit();
    const pool = await api.pools.create({ name: "Shop", numbers: [FIRST, SECOND] });
    const send = (from: string, to = "+15005550000") =>
      kit().request("POST", "/v1/messages", { body: { from, to, body: "Hi" } });
    for (const from of [FIRST, FIRST, FIRST, SECOND, ALONE]) await send(from);
    await send(FIRST, "+15005550008");
    await kit().advance(1);
    const read = (path: string) => call("GET", `/${account}${path}`, { cookie });

    const { status, body: number } = await read(`/test/numbers/${FIRST}/traffic`);
    assert.equal(status, 200);
    assert.equal(number.hours, DELIVERABILITY_HOURS_MAX);
    assert.deepEqual(
      [number.totals.sent, number.totals.delivered, number.totals.failed],
      [4, 3, 1],
    );
    assert.equal(number.series.at(-1).sent, 4);

    const { body: members } = await read(`/test/pools/${pool.id}/traffic`);
    assert.deepEqual(
      members.by_number.map((each: { phone_number: string; sent: number }) => [
        each.phone_number,
        each.sent,
      ]),
      [
        [FIRST, 4],
        [SECOND, 1],
      ],
    );
    assert.equal((await read(`/live/numbers/${FIRST}/traffic`)).body.totals.sent, 0);

    const other = await secondAccount(kit());
    await giveNumber(other, { phone: "+15005550150" });
    for (const path of ["numbers/+15005550150", "numbers/x", "pools/pool_none"]) {
      assert.equal((await read(`/test/${path}/traffic`)).status, 404, path);
    }
  });

  it("counts failures by reason and carrier, and sums the period before", async () => {
    const { cookie, account } = await asOwner();
    const { api } = kit();
    const [number] = (await api.numbers.list({ limit: 1 })).data;
    const from = number?.phone_number ?? "";
    const read = async (path: string) => {
      const { status, body } = await call("GET", `/${account}${path}`, { cookie });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const since = new Date(kit().deps.clock.now()).toISOString();
    for (const to of ["+15005550008", "+15005550008", "+15005550000"])
      await kit().request("POST", "/v1/messages", { body: { from, to, body: "Hi" } });
    await kit().advance(1);
    const failures = await read(`/test/failures?created_after=${since}`);
    const [reason] = failures.by_reason;
    assert.deepEqual([failures.counted, failures.is_partial, reason.count], [2, false, 2]);
    assert.deepEqual(failures.by_carrier, [{ carrier: null, count: 2 }]);
    const listed = await api.messages.list({ failure_code: reason.code, created_after: since });
    assert.equal(listed.data.length, 2, "a reason leads to its messages");
    const soon = new Date(kit().deps.clock.now() + 3_600_000).toISOString();
    const before = await read(`/test/traffic-before?hours=24&created_before=${soon}`);
    assert.deepEqual([before.sent, before.delivered, before.failed], [9, 6, 3]);
    const none = await read("/test/traffic-before?hours=720&created_before=2020-01-01T00:00:00Z");
    assert.equal(none.sent, 0);
    for (const path of ["failures", "traffic-before?hours=721&created_before=2020-01-01T00:00:00Z"])
      assert.equal((await call("GET", `/${account}/test/${path}`, { cookie })).status, 400, path);
  });

  it("counts webhook attempts at an endpoint by hour", async () => {
    const { cookie, account } = await asOwner();
    const { api } = kit();
    const made = await api.webhooks.create({ url: "https://example.com/hook", events: ["*"] });
    const other = await api.webhooks.create({ url: "https://example.com/other", events: ["*"] });
    const nowMs = kit().deps.clock.now();
    for (const [endpoint, agoMs, isOk] of [
      [made.id, 0, true],
      [made.id, 0, false],
      [made.id, 3_600_000, false],
      [made.id, 3 * 3_600_000, false],
      [other.id, 0, false],
    ] as const) {
      const { ids } = kit().deps;
      await kit().rows(
        `insert into webhook_deliveries (shard, account_id, id, endpoint_id, event_id, event_type, attempt, ok,
           status_code, latency_ms, replay, created_at, mode)
         values ($1, $2, $3, $4, $5, 'message.sent', 1, $6, $7, 9, false, $8, 'test')`,
        [
          ...[kit().account.shard, kit().account.id, ids.makeAt(nowMs - agoMs)],
          ...[fromApiId("webhook_endpoint", endpoint), ids.make(), isOk, isOk ? 200 : 503],
          new Date(nowMs - agoMs),
        ],
      );
    }
    const path = `/${account}/test/webhooks/${made.id}/attempts?hours=3`;
    const { status, body } = await call("GET", path, { cookie });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.is_partial, false);
    const counts = body.data.map(({ delivered, failed }: Record<string, number>) => [
      delivered,
      failed,
    ]);
    assert.deepEqual(counts, [
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
    const live = await call("GET", path.replace("/test/", "/live/"), { cookie });
    assert.deepEqual(live.body.data.at(-1).failed, 0);
  });
});
