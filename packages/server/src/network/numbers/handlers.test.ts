import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import {
  assertRefused,
  balanceUsd,
  buy,
  goLive,
  secondAccount,
  stock,
} from "../../../testing/live.ts";
import { findSender } from "./index.ts";

const freshKit = freshAccounts();

const PHONE = "+14155550100";

async function addCustomer(kit: Kit, name = "Acme"): Promise<string> {
  const answer = await kit.request("POST", "/v1/customers", { body: { name } });
  assert.equal(answer.status, 201);
  return answer.body.id;
}

test("every notation finds a number, and only for its own account", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  const bought = await buy(kit, PHONE);
  for (const id of [PHONE, "%2B14155550100", "4155550100", "14155550100", "(415)%20555-0100"]) {
    const answer = await kit.request("GET", `/v1/numbers/${id}`);
    assert.equal(answer.status, 200, id);
    assert.deepEqual(answer.body, bought);
  }
  assert.deepEqual(
    (await kit.request("GET", `/v1/numbers/${PHONE}`, { key: kit.testKey })).body,
    bought,
  );
  for (const id of ["+14155550101", "415555010", "nonsense", "+1415555010x", "%00"]) {
    assertRefused(await kit.request("GET", `/v1/numbers/${id}`), 404, "not_found");
  }
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", { customer_id: null }],
    ["DELETE", undefined],
  ] as const) {
    const answer = await other.request(method, `/v1/numbers/${PHONE}`, { body });
    assertRefused(answer, 404, "not_found");
  }
});

test("PATCH assigns, labels and tags; absent fields stay, null clears", async (t) => {
  const kit = await freshKit(t);
  const customer = await addCustomer(kit);
  await buy(kit, PHONE);
  const patch = (body: unknown) => kit.request("PATCH", `/v1/numbers/${PHONE}`, { body });

  const all = await patch({ customer_id: customer, label: "Front desk", tags: ["a", "b", "a"] });
  assert.equal(all.status, 200);
  assert.equal(all.body.customer_id, customer);
  assert.equal(all.body.label, "Front desk");
  assert.deepEqual(all.body.tags, ["a", "b"]);
  const same = await patch({ customer_id: customer });
  assert.deepEqual(same.body, all.body);
  const cleared = await patch({ customer_id: null, label: null, tags: null });
  assert.equal(cleared.body.customer_id, null);
  assert.equal(cleared.body.label, null);
  assert.deepEqual(cleared.body.tags, []);
  assert.deepEqual((await kit.request("GET", `/v1/numbers/${PHONE}`)).body, cleared.body);

  const audit = await kit.rows(
    "select target_id, changes from audit_log where action = 'number.updated' order by seq",
  );
  assert.deepEqual(audit, [
    {
      target_id: PHONE,
      changes: {
        customer_id: { from: null, to: customer },
        label: { from: null, to: "Front desk" },
        tags: { from: [], to: ["a", "b"] },
      },
    },
    {
      target_id: PHONE,
      changes: {
        customer_id: { from: customer, to: null },
        label: { from: "Front desk", to: null },
        tags: { from: ["a", "b"], to: [] },
      },
    },
  ]);
});

test("PATCH refuses unknown fields and values", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  await buy(kit, PHONE);
  const patch = (body: unknown) => kit.request("PATCH", `/v1/numbers/${PHONE}`, { body });
  assertRefused(await patch({ label: "x" }), 400, "invalid_request", "customer_id");
  for (const customer_id of [await addCustomer(other), "cus_01jd0000000000000000000000", "x"]) {
    assertRefused(await patch({ customer_id }), 400, "unknown_customer", "customer_id");
  }
  const bad = async (fields: Record<string, unknown>, param: string) =>
    assertRefused(await patch({ customer_id: null, ...fields }), 400, "invalid_request", param);
  await bad({ label: "x".repeat(121) }, "label");
  await bad({ label: "" }, "label");
  await bad({ label: "two\nlines" }, "label");
  await bad({ tags: ["ok", "t".repeat(41)] }, "tags[1]");
  await bad({ tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, "tags");
  await bad({ mode: "live" }, "mode");
  // Lengths are code points, not UTF-16 units.
  const wide = await patch({ customer_id: null, tags: ["\u{1F600}".repeat(40)] });
  assert.equal(wide.status, 200);
  assert.equal(
    (await kit.rows("select 1 from audit_log where action = 'number.updated'")).length,
    1,
  );
});

test("DELETE releases: event, audit row, no more sending, still readable, buyable again", async (t) => {
  const kit = await freshKit(t);
  const customer = await addCustomer(kit);
  const bought = await buy(kit, PHONE, { body: { customer_id: customer } });
  const pool = await kit.request("POST", "/v1/pools", { body: { name: "P", numbers: [PHONE] } });
  assert.ok(await findSender(kit.deps, kit.account, PHONE));

  const gone = await kit.request("DELETE", "/v1/numbers/4155550100");
  assert.equal(gone.status, 200);
  assert.equal(gone.body.status, "released");
  assert.match(gone.body.released_at, /Z$/);
  assert.deepEqual({ ...gone.body, status: "active", released_at: null }, bought);
  const [event] = await kit.rows(
    "select data, customer_id from events where type = 'number.released'",
  );
  assert.deepEqual(event.data, { phone_number: PHONE, mode: "test", customer_id: customer });
  assert.ok(event.customer_id);
  const audit = await kit.rows("select target_id from audit_log where action = 'number.released'");
  assert.deepEqual(audit, [{ target_id: PHONE }]);

  assert.deepEqual((await kit.request("GET", `/v1/numbers/${PHONE}`)).body, gone.body);
  assert.deepEqual((await kit.request("GET", "/v1/numbers")).body.data, []);
  assert.deepEqual((await kit.request("GET", `/v1/pools/${pool.body.id}`)).body.numbers, []);
  const patch = { body: { customer_id: null } };
  assertRefused(await kit.request("PATCH", `/v1/numbers/${PHONE}`, patch), 404, "not_found");
  assertRefused(await kit.request("DELETE", `/v1/numbers/${PHONE}`), 404, "not_found");

  await buy(kit, PHONE);
  assert.equal((await kit.request("GET", `/v1/numbers/${PHONE}`)).body.status, "active");
  assert.equal((await kit.rows("select 1 from numbers")).length, 2, "the history stays");
});

test("one of many concurrent releases succeeds; a live number cools down for 30 days before it is sold again", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit);
  const other = await secondAccount(kit);
  await goLive(other);
  await stock(kit, "+12065551234");
  await buy(kit, "+12065551234", { key: kit.liveKey });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      kit.request("DELETE", "/v1/numbers/+12065551234", { key: kit.liveKey }),
    ),
  );
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 404)]);
  assert.equal((await kit.rows("select 1 from events where type = 'number.released'")).length, 1);
  assert.equal(await balanceUsd(kit), 99.05, "the month is not given back");
  const attempt = (kind: typeof kit) =>
    kind.request("POST", "/v1/numbers", {
      key: kind.liveKey,
      body: { phone_number: "+12065551234" },
    });
  for (const buyer of [kit, other]) {
    const refused = await attempt(buyer);
    assertRefused(refused, 409, "number_unavailable", "phone_number");
    assert.match(refused.body.error.message, /sold again from \d{4}-/);
  }
  const offered = async () =>
    (await kit.request("GET", "/v1/numbers/available", { key: kit.liveKey })).body.data.length;
  assert.equal(await offered(), 0);
  const [resting] = (await kit.operator("GET", "/inventory?status=resting")).body.data;
  assert.deepEqual([resting.status, resting.account_id], ["resting", null]);
  assert.deepEqual((await kit.operator("GET", "/inventory?status=sold")).body.data, []);
  await kit.advance(30 * 86_400 - 60);
  assert.equal(await offered(), 0);
  await kit.advance(120);
  assert.equal(await offered(), 1);
  await buy(other, "+12065551234", { key: other.liveKey });
  assert.equal((await kit.request("GET", "/v1/numbers/+12065551234")).body.status, "released");
});

test("linking a registration takes a live key and checks the number first", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  await stock(kit, "+12065551234", "+16045551234", "+18005551234");
  const key = kit.liveKey;
  await buy(kit, PHONE);
  for (const phone of ["+12065551234", "+16045551234", "+18005551234"])
    await buy(kit, phone, { key });
  const body = { registration_id: "reg_01jd0000000000000000000000" };
  const link = (phone: string, options: object = { key, body }) =>
    kit.request("POST", `/v1/numbers/${phone}/registration`, options);
  assertRefused(await link("+12065551234", { body }), 403, "live_access_required");
  assertRefused(await link("+12065559999"), 404, "not_found");
  for (const phone of [PHONE, "+16045551234", "+18005551234"]) {
    const refusal = await link(phone);
    assertRefused(refusal, 400, "number_not_registerable");
    const said = `${phone} cannot be registered. Send from it as it is: only live US local numbers need a registration.`;
    assert.equal(refusal.body.error.message, said);
  }
  assertRefused(await link("+12065551234"), 400, "unknown_registration", "registration_id");
  assertRefused(
    await link("+12065551234", { key, body: {} }),
    400,
    "invalid_request",
    "registration_id",
  );
});
