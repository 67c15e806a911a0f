import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DELIVERABILITY_HOURS_MAX } from "@longwave/contract";
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
});
