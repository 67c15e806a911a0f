import assert from "node:assert/strict";
import test from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import { toApiId } from "../../core/platform/ids.ts";

const start = (kit: Kit, phone: string, key = kit.testKey) =>
  kit.request("POST", "/v1/verify", { key, body: { phone } });

/** Starts verifications in one exchange until the fraud rules block it; returns the blocked phone. */
async function provoke(kit: Kit, key: string): Promise<string> {
  for (let index = 0; index < 200; index += 1) {
    const phone = `+1415555${String(2000 + index * 7).padStart(4, "0")}`;
    if ((await start(kit, phone, key)).status === 403) return phone;
  }
  throw new Error("nothing was blocked");
}

test("the operator lists blocks newest first and lifts them, for one account or for all", async (t) => {
  const kit = await startKit(t);
  const other = await secondAccount(kit);
  const blocked = await provoke(kit, kit.testKey);
  await provoke(other, other.testKey);
  const listed = await kit.operator("GET", "/verify/blocks");
  assert.ok(listed.body.data.length >= 2, JSON.stringify(listed.body));
  const id = toApiId("account", kit.account.id);
  const own = await kit.operator("GET", `/verify/blocks?account_id=${id}`);
  const [block] = own.body.data;
  assert.equal(block.object, "verify_block");
  assert.equal(block.account_id, id);
  assert.equal(block.mode, "test");
  assert.ok(blocked.startsWith(block.prefix));
  assert.equal(Date.parse(block.expires_at) - Date.parse(block.created_at), 12 * 3_600_000);

  const path = `/verify/blocks/${encodeURIComponent(block.prefix)}`;
  const lifted = await kit.operator("DELETE", `${path}?account_id=${id}`);
  assert.equal(lifted.status, 200, JSON.stringify(lifted.body));
  assert.deepEqual([lifted.body.lifted, lifted.body.data], [1, [block]]);
  assert.equal((await kit.operator("GET", `/verify/blocks?account_id=${id}`)).body.data.length, 0);
  assert.equal(
    (await start(kit, `${block.prefix}${"9".repeat(12 - block.prefix.length)}`)).status,
    201,
  );
  assertRefused(await kit.operator("DELETE", `${path}?account_id=${id}`), 404, "not_found");
  const rest = await kit.operator("GET", "/verify/blocks");
  assert.ok(rest.body.data.length >= 1, "the block of the other account is still there");
  for (const { prefix } of rest.body.data) {
    await kit.operator("DELETE", `/verify/blocks/${encodeURIComponent(prefix)}`);
  }
  assert.deepEqual((await kit.operator("GET", "/verify/blocks")).body.data, []);
  const rows = await kit.rows(
    "select account_id from audit_log where action = 'verify_block.lifted'",
  );
  assert.equal(new Set(rows.map((row) => row.account_id)).size, 2);
  assertRefused(
    await kit.operator("GET", "/verify/blocks?account_id=acct_x"),
    400,
    "invalid_request",
    "account_id",
  );
});
