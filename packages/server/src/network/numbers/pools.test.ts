import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, secondAccount, stock } from "../../../testing/live.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { choosePoolMember, clearDeletedPools } from "./index.ts";

const freshKit = freshAccounts();

const [A, B, C] = ["+14155550100", "+14155550101", "+14155550102"] as const;
const RECIPIENT = "+12125551000";

async function addPool(kit: Kit, numbers: readonly string[], name = "Support") {
  const answer = await kit.request("POST", "/v1/pools", { body: { name, numbers } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

async function choose(kit: Kit, poolId: string, to = RECIPIENT): Promise<string> {
  const chosen = await choosePoolMember(kit.deps, kit.account, poolId, "test", to);
  return typeof chosen === "string" ? chosen : chosen.phone_number;
}

test("pools are created, read, changed and deleted, with audit rows", async (t) => {
  const kit = await freshKit(t);
  for (const phone of [A, B, C]) await buy(kit, phone);
  const pool = await addPool(kit, ["4155550101", A, B]);
  const { created_at, ...rest } = pool;
  assert.match(created_at, /Z$/);
  assert.match(pool.id, /^pool_[0-9a-z]{26}$/);
  const shown = { id: pool.id, object: "pool", name: "Support", numbers: [B, A] };
  assert.deepEqual(rest, { ...shown, twilio_service_sid: null });
  assert.deepEqual((await kit.request("GET", `/v1/pools/${pool.id}`)).body, pool);
  assert.deepEqual((await kit.request("GET", `/v1/numbers/${A}`)).body.pools, [pool.id]);

  const patch = (body: object) => kit.request("PATCH", `/v1/pools/${pool.id}`, { body });
  assert.deepEqual((await patch({ name: "Help" })).body, { ...pool, name: "Help" });
  assert.deepEqual((await patch({ numbers: [C, A] })).body.numbers, [C, A]);
  assert.deepEqual((await patch({})).body, { ...pool, name: "Help", numbers: [C, A] });
  assert.deepEqual((await kit.request("GET", `/v1/numbers/${B}`)).body.pools, []);
  assert.deepEqual((await patch({ numbers: [] })).body.numbers, []);

  const gone = await kit.request("DELETE", `/v1/pools/${pool.id}`);
  assert.equal(gone.status, 200);
  assert.deepEqual(gone.body, { ...pool, name: "Help", numbers: [] });
  for (const method of ["GET", "DELETE"]) {
    assertRefused(await kit.request(method, `/v1/pools/${pool.id}`), 404, "not_found");
  }
  assertRefused(await patch({ name: "x" }), 404, "not_found");
  assert.deepEqual((await kit.request("GET", "/v1/pools")).body.data, []);
  const set = (to: unknown) => ({ from: null, to });
  const audit = await kit.rows(
    "select action, changes from audit_log where target_type = 'pool' and target_id = $1 order by seq",
    [pool.id],
  );
  assert.deepEqual(audit, [
    { action: "pool.created", changes: { name: set("Support"), numbers: set([B, A]) } },
    { action: "pool.updated", changes: { name: { from: "Support", to: "Help" } } },
    {
      action: "pool.updated",
      changes: { numbers: { from: [B, A], to: [C, A] } },
    },
    { action: "pool.updated", changes: { numbers: { from: [C, A], to: [] } } },
    { action: "pool.deleted", changes: { name: { from: "Help", to: null } } },
  ]);
});

test("members must be the account's own active numbers", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  await buy(kit, A);
  await buy(kit, B);
  await buy(other, C);
  await kit.request("DELETE", `/v1/numbers/${B}`);
  const pool = await addPool(kit, [A]);
  for (const phone of [B, C, "+14155550199", "nonsense"]) {
    const body = { name: "P", numbers: [A, phone] };
    const made = await kit.request("POST", "/v1/pools", { body });
    assertRefused(made, 400, "invalid_request", "numbers[1]");
    const changed = await kit.request("PATCH", `/v1/pools/${pool.id}`, { body });
    assertRefused(changed, 400, "invalid_request", "numbers[1]");
  }
  assert.deepEqual((await kit.request("GET", `/v1/pools/${pool.id}`)).body, pool);
  const bad = async (body: object, param: string) =>
    assertRefused(await kit.request("POST", "/v1/pools", { body }), 400, "invalid_request", param);
  await bad({ numbers: [A] }, "name");
  await bad({ name: "P" }, "numbers");
  await bad({ name: "", numbers: [] }, "name");
  await bad({ name: "x".repeat(121), numbers: [] }, "name");
  await bad({ name: "P", numbers: [], sticky: true }, "sticky");
  await bad({ name: "P", numbers: Array.from({ length: 1_001 }, () => A) }, "numbers");
  const nulled = await kit.request("PATCH", `/v1/pools/${pool.id}`, { body: { name: null } });
  assertRefused(nulled, 400, "invalid_request", "name");
});

test("pools of another account are not found", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  const pool = await addPool(kit, []);
  assertRefused(await other.request("GET", `/v1/pools/${pool.id}`), 404, "not_found");
  const patch = await other.request("PATCH", `/v1/pools/${pool.id}`, { body: { name: "x" } });
  assertRefused(patch, 404, "not_found");
  assertRefused(await other.request("DELETE", `/v1/pools/${pool.id}`), 404, "not_found");
  assert.deepEqual((await other.request("GET", "/v1/pools")).body.data, []);
});

test("pools are listed newest first, in pages", async (t) => {
  const kit = await freshKit(t);
  await buy(kit, A);
  const names = ["one", "two", "three", "four", "five"];
  for (const name of names) await addPool(kit, [A], name);
  const first = await kit.request("GET", "/v1/pools?limit=3");
  const second = await kit.request("GET", `/v1/pools?limit=3&cursor=${first.body.next_cursor}`);
  const listed = [...first.body.data, ...second.body.data];
  assert.deepEqual(
    listed.map((pool) => pool.name),
    [...names].reverse(),
  );
  assert.deepEqual(listed[0].numbers, [A]);
  assert.equal(second.body.has_more, false);
  const tampered = await kit.request("GET", `/v1/pools?cursor=${first.body.next_cursor}x`);
  assertRefused(tampered, 400, "invalid_request", "cursor");
});

test("a change through the API takes effect at once; releasing a number removes it", async (t) => {
  const kit = await freshKit(t);
  for (const phone of [A, B, C]) await buy(kit, phone);
  const pool = await addPool(kit, [A, B]);
  const first = await choose(kit, pool.id);
  const rest = [A, B].filter((phone) => phone !== first);
  await kit.request("PATCH", `/v1/pools/${pool.id}`, { body: { numbers: [...rest, C] } });
  await until(async () => (await choose(kit, pool.id)) !== first, 900);
  const second = await choose(kit, pool.id);
  await kit.request("PATCH", `/v1/pools/${pool.id}`, { body: { numbers: [A, B, C] } });
  assert.equal(await choose(kit, pool.id), second);
  await kit.request("DELETE", `/v1/numbers/${second}`);
  await until(async () => (await choose(kit, pool.id)) !== second, 900);
  await kit.request("DELETE", `/v1/pools/${pool.id}`);
  await until(async () => (await choose(kit, pool.id)) === "unknown", 900);
});

test("one pool holds test and live numbers, and each mode has its own member", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit);
  await stock(kit, "+12065551234");
  await buy(kit, A);
  await buy(kit, "+12065551234", { key: kit.liveKey });
  const pool = await addPool(kit, [A]);
  const added = await kit.request("PATCH", `/v1/pools/${pool.id}`, {
    body: { numbers: ["+12065551234"] },
    key: kit.liveKey,
  });
  assert.deepEqual([added.status, added.body.numbers], [200, ["+12065551234", A]]);
  const { deps, account } = kit;
  const test = await choosePoolMember(deps, account, pool.id, "test", RECIPIENT);
  const live = await choosePoolMember(deps, account, pool.id, "live", RECIPIENT);
  assert.ok(typeof test !== "string" && typeof live !== "string");
  assert.equal(test.phone_number, A);
  assert.equal(live.phone_number, "+12065551234");
});

test("keys of each mode replace, name and delete members of their own mode only", async (t) => {
  const kit = await startKit(t);
  const [live, other] = ["+12065551234", "+12065551235"];
  for (const phone of [A, B]) await giveNumber(kit, { phone });
  for (const phone of [live, other]) await giveNumber(kit, { phone, mode: "live" });
  await goLive(kit);
  const pool = await addPool(kit, [A]);
  const path = `/v1/pools/${pool.id}`;
  const patch = (numbers: readonly string[], key: string) =>
    kit.request("PATCH", path, { body: { numbers }, key });
  assert.deepEqual((await patch([live], kit.liveKey)).body.numbers, [live, A]);
  assert.deepEqual((await patch([B, A], kit.testKey)).body.numbers, [live, B, A]);
  assert.deepEqual((await patch([other, live], kit.liveKey)).body.numbers, [other, live, B, A]);
  // Sending back a read pool unchanged leaves the other mode's members alone.
  assert.deepEqual((await patch([other, live, A], kit.testKey)).body.numbers, [other, live, A]);
  const foreign = await patch([A, B], kit.liveKey);
  assertRefused(foreign, 403, "mode_mismatch", "numbers[1]");
  assert.match(foreign.body.error.message, /\+14155550101 is test\. Use a test key/);
  assert.deepEqual((await kit.request("GET", path)).body.numbers, [other, live, A]);
  for (const key of [kit.testKey, kit.liveKey]) {
    assertRefused(await kit.request("DELETE", path, { key }), 403, "mode_mismatch");
  }
  assert.deepEqual((await patch([], kit.liveKey)).body.numbers, [A]);
  assert.equal((await kit.request("DELETE", path)).status, 200);
});

test("choices of a deleted pool are deleted", async (t) => {
  const kit = await freshKit(t);
  await buy(kit, A);
  const gone = await addPool(kit, [A]);
  const kept = await addPool(kit, [A]);
  for (let index = 0; index < 20; index += 1) {
    await choose(kit, gone.id, `+1212555${1000 + index}`);
    await choose(kit, kept.id, `+1212555${1000 + index}`);
  }
  await kit.request("DELETE", `/v1/pools/${gone.id}`);
  await clearDeletedPools.run(kit.deps, new AbortController().signal);
  assert.equal((await kit.rows("select 1 from pools")).length, 1);
  assert.equal((await kit.rows("select 1 from pool_choices")).length, 20);
});

test("a live pool prefers a near member that can send; a stored member gives its own refusal", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" }, { carriers: createTestCarrier() });
  await goLive(kit);
  const far = await giveNumber(kit, { phone: "+12125550100", mode: "live", senderState: "active" });
  const near = await giveNumber(kit, {
    phone: "+14155550101",
    mode: "live",
    senderState: "pending",
  });
  const pool = await kit.request("POST", "/v1/pools", {
    body: { name: "Live", numbers: [far, near] },
    key: kit.liveKey,
  });
  const send = (to: string) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to, from: pool.body.id, body: "Hello" },
    });
  assert.equal((await send("+14155552671")).body.from, far, "the near one cannot send yet");
  await setSender(kit, near, "active");
  assert.equal((await send("+14155552672")).body.from, near);
  assert.equal((await send("+14155552671")).body.from, far, "remembered");
  await setSender(kit, near, "action_needed");
  const refused = await send("+14155552672");
  assertRefused(refused, 403, "sender_not_registered", "from");
  assert.equal(refused.headers.get("x-svc-sender-state"), "action_needed");
  await kit.rows("update numbers set unpaid_since = paid_until where phone_number = $1", [far]);
  kit.deps.numbers.pools.forget(kit.account.id);
  assertRefused(await send("+14155552671"), 402, "insufficient_credits", "from");
  assertRefused(await send("+14155552673"), 403, "sender_not_registered", "from");
  await setSender(kit, near, "active");
  assert.equal((await send("+14155552673")).body.from, near, "what was refused is not remembered");
  await kit.request("DELETE", `/v1/numbers/${near}`, { key: kit.liveKey });
  assert.deepEqual((await kit.request("GET", `/v1/pools/${pool.body.id}`)).body.numbers, [far]);
});

async function setSender(kit: Kit, phone: string, state: string): Promise<void> {
  await kit.rows("update numbers set sender_state = $1 where phone_number = $2", [state, phone]);
  kit.deps.numbers.pools.forget(kit.account.id);
}
