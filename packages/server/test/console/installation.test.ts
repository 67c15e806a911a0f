import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVisitors } from "../../testing/console-users.ts";
import { giveNumber } from "../../testing/give-number.ts";
import { secondAccount } from "../../testing/live.ts";
import { suiteKit } from "../../testing/suite.ts";

const FROM = "+15005550100";
const OTHERS = "+15005550150";

describe("figures of the whole installation", () => {
  const kit = suiteKit();
  const { call, asOwner, asRole } = createVisitors(kit);

  it("sums the traffic of all accounts, busiest first, and shows waiting work and disk", async () => {
    const { cookie, account } = await asOwner();
    await giveNumber(kit(), { phone: FROM });
    const other = await secondAccount(kit());
    await giveNumber(other, { phone: OTHERS });
    const body = { from: FROM, to: "+15005550000", body: "Hi" };
    for (let sent = 0; sent < 3; sent += 1) await kit().request("POST", "/v1/messages", { body });
    const toNobody = { from: OTHERS, to: "+15005550001", body: "Hi" };
    await other.request("POST", "/v1/messages", { body: toNobody });
    await kit().advance(60);
    const { status, body: shown } = await call("GET", "/installation", { cookie });
    assert.equal(status, 200, JSON.stringify(shown));
    const total = (field: string) =>
      shown.test.series.reduce(
        (sum: number, row: Record<string, number>) => sum + (row[field] ?? 0),
        0,
      );
    assert.deepEqual([total("sent"), total("delivered"), total("undelivered")], [4, 3, 1]);
    assert.equal(shown.test.series.length, 24);
    const [first, second] = shown.test.busiest;
    assert.deepEqual([first.account.id, first.sent, second.sent], [account, 3, 1]);
    assert.equal(typeof second.account.name, "string");
    assert.deepEqual(shown.live.busiest, []);
    const busiestAt = async (hour: string) => {
      const answer = await call("GET", `/installation?hour=${hour}`, { cookie });
      return answer.body.test.busiest.length;
    };
    assert.equal(await busiestAt(shown.test.series[0].hour), 0);
    const used = shown.test.series.filter((row: { sent: number }) => row.sent > 0);
    assert.equal(await busiestAt(used[0].hour), 2);
    assert.deepEqual(Object.keys(shown.waiting), ["messages", "webhooks", "jobs"]);
    assert.ok(shown.disk.database_bytes > 1_000_000);
  });

  it("is for operators alone", async () => {
    const refused = await call("GET", "/installation", { cookie: await asRole("owner") });
    assert.deepEqual([refused.status, refused.body.error.required_role], [403, "operator"]);
    assert.equal((await call("GET", "/installation")).status, 401);
  });
});
