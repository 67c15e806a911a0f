import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { startKit } from "../../../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../../../testing/live.ts";
import { createTestCarrier } from "../../../../testing/test-carrier.ts";
import { toApiId } from "../../../core/platform/ids.ts";

const OWN = "+14155550100";

test("too many unanswered codes in a day, over all accounts, stop the service's numbers for a day", async (t) => {
  const carrier = createTestCarrier();
  const env = {
    LONGWAVE_VERIFY_NUMBERS: "+12065550150",
    LONGWAVE_VERIFY_RULES: '{"service_unanswered_per_day":3}',
  };
  const kit = await startKit(t, env, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: OWN, mode: "live", senderState: "active" });
  const other = await secondAccount(kit);
  const path = `/accounts/${toApiId("account", other.account.id)}`;
  assert.equal((await kit.operator("PATCH", path, { live_access: "granted" })).status, 200);
  const start = (on: typeof kit, phone: string, more: object = {}) =>
    on.request("POST", "/v1/verify", { key: on.liveKey, body: { phone, ...more } });

  assert.equal((await start(kit, "+14155552001")).status, 201);
  const code = /\d{6}/.exec(carrier.submitted[0]?.body ?? "")?.[0] ?? "";
  const body = { phone: "+14155552001", code };
  const checked = await kit.request("POST", "/v1/verify/check", { key: kit.liveKey, body });
  assert.equal(checked.body.verified, true, "an answered code is no loss");
  for (const [index, on] of [kit, other, kit].entries()) {
    assert.equal((await start(on, `+1212555200${index}`)).status, 201);
  }
  for (const on of [other, kit]) {
    assertRefused(await start(on, "+13125552001"), 403, "verification_blocked", "phone");
  }
  assert.equal(carrier.submitted.length, 4);
  const [blocked] = await kit.rows(
    "select data from events where type = 'verification.blocked' limit 1",
  );
  assert.equal(blocked.data.reason, "service_loss");

  assert.equal(
    (await start(kit, "+13125552002", { from: OWN })).status,
    201,
    "from the account's own number",
  );
  const sandbox = await kit.request("POST", "/v1/verify", { body: { phone: "+13125552003" } });
  assert.equal(sandbox.status, 201, "the sandbox sends nothing");
  const { data } = (await kit.operator("GET", "/verify/blocks")).body;
  assert.deepEqual(
    data.map((block: { account_id: string | null; prefix: string; rule: string }) => [
      block.account_id,
      block.prefix,
      block.rule,
    ]),
    [[null, "+1", "service_loss"]],
  );
  assert.equal((await kit.operator("DELETE", "/verify/blocks/%2B1")).body.lifted, 1);
  for (const [index, on] of [kit, other, kit].entries()) {
    const phone = `+1646555200${index}`;
    assert.equal((await start(on, phone)).status, 201, "the operator lifted the block");
  }
  assertRefused(await start(kit, "+13125552001"), 403, "verification_blocked", "phone");
  await kit.advance(23 * 3_600);
  assertRefused(await start(kit, "+13125552001"), 403, "verification_blocked", "phone");
  await kit.advance(2 * 3_600);
  assert.equal((await start(kit, "+13125552001")).status, 201);
});
