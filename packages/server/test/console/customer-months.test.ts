import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { monthOf } from "../../src/core/platform/clock.ts";
import { fromApiId, toApiId } from "../../src/core/platform/ids.ts";
import { createVisitors } from "../../testing/console-users.ts";
import { giveNumber } from "../../testing/give-number.ts";
import { secondAccount } from "../../testing/live.ts";
import { suiteKit } from "../../testing/suite.ts";

const FROM = "+15005550100";
const TO = "+15005550000";

describe("messages and spend of customers in a month", () => {
  const kit = suiteKit();
  const { call, asOwner, asRole } = createVisitors(kit);

  it("are sums since the first of the month, of the reader's account and mode", async () => {
    const { account } = await asOwner();
    const cookie = await asRole("viewer");
    const { api } = kit();
    const busy = await api.customers.create({ name: "Busy" });
    const idle = await api.customers.create({ name: "Idle" });
    const customerId = fromApiId("customer", busy.id) ?? null;
    await giveNumber(kit(), { phone: FROM, customerId });
    await api.messages.send({ from: FROM, to: TO, body: "Hi" });
    await api.test.inbound({ from: "+14155550123", to: FROM, body: "Hello" });
    await kit().rows("update messages set price_micros = 9000 where direction = 'outbound'");
    await kit().rows("update messages set price_micros = 4000 where direction = 'inbound'");
    const { test_code } = await api.verify.start({ phone: TO });
    await api.verify.check({ phone: TO, code: test_code ?? "" });
    await kit().rows("update verifications set price_micros = 50000, customer_id = $1", [
      customerId,
    ]);
    const other = await secondAccount(kit());
    const theirs = await other.api.customers.create({ name: "Theirs" });
    const ids = [busy.id, idle.id, busy.id, theirs.id, "x"].join();
    const read = (mode: string) =>
      call("GET", `/${account}/${mode}/customer-months?ids=${ids}`, { cookie });
    const { status, body } = await read("test");
    assert.equal(status, 200, JSON.stringify(body));
    const month = monthOf(kit().deps.clock.now());
    assert.equal(body.created_after, `${month}T00:00:00.000Z`);
    const sortedRows = (rows: { customer_id: string }[]) =>
      rows.toSorted((a, b) => (a.customer_id < b.customer_id ? -1 : 1));
    assert.deepEqual(sortedRows(body.data), [
      { customer_id: busy.id, messages: 2, spent_usd: 0.063 },
      { customer_id: idle.id, messages: 0, spent_usd: 0 },
    ]);
    const live = (await read("live")).body.data;
    assert.deepEqual(
      live.map((row: { messages: number }) => row.messages),
      [0, 0],
    );
    const stranger = `/${toApiId("account", other.account.id)}/test/customer-months?ids=${theirs.id}`;
    assert.equal((await call("GET", stranger, { cookie })).status, 404);
    const missing = await call("GET", `/${account}/test/customer-months`, { cookie });
    assert.deepEqual([missing.status, missing.body.error.param], [400, "ids"]);
  });
});
