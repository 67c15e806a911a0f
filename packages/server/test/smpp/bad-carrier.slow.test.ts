import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../testing/give-number.ts";
import { startKit } from "../../testing/kit.ts";
import { goLive, secondAccount } from "../../testing/live.ts";
import { carriersFile } from "../../testing/smpp-stage.ts";
import { until } from "../../testing/until.ts";
import { assertNothingLost, HEALTHY_FROM, HURT_FROM, startBadCarrier } from "./bad-carrier.ts";

const TEXTS = 30;
const WINDOW = 10;

test("a bad carrier of one account does not delay another account", async (t) => {
  // The good carrier has a window slot for every message, so that this holds on a slow machine.
  const carrier = await startBadCarrier(t, WINDOW, TEXTS);
  const file = await carriersFile(t, carrier.carriers);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  const other = await secondAccount(kit);
  for (const [one, phone] of [
    [kit, HEALTHY_FROM],
    [other, HURT_FROM],
  ] as const) {
    await goLive(one);
    await giveNumber(one, { phone, mode: "live", senderState: "active" });
  }
  await until(() => kit.deps.carriers.all().every((link) => link.state().state === "up"));
  const hurt = { url: kit.url, key: other.liveKey, from: HURT_FROM };

  for (const { name, begin } of carrier.troubles) {
    await t.test(`which ${name}`, async () => {
      const end = await begin(hurt, TEXTS);
      const statuses = await Promise.all(
        Array.from({ length: TEXTS }, async () => {
          const body = { to: "+15005550000", from: HEALTHY_FROM, body: "Hello" };
          return (await kit.request("POST", "/v1/messages", { key: kit.liveKey, body })).status;
        }),
      );
      assert.deepEqual([...new Set(statuses)], [201]);
      const [sent] = await kit.rows(
        "select count(*)::int as n from messages where from_number = $1 and status <> 'queued'",
        [HURT_FROM],
      );
      assert.equal(sent.n, 0, "no send waited for the bad carrier");
      await end();
    });
  }
  await assertNothingLost(carrier, kit.rows);
});
