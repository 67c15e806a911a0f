import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, buy, secondAccount } from "../../../testing/live.ts";
import { until } from "../../../testing/until.ts";
import { customerFilterOf, findCustomerCached } from "./index.ts";

const freshKit = freshAccounts();

const UNKNOWN = "cus_01jd0000000000000000000000";

async function addCustomer(kit: Kit, body: Record<string, unknown> = { name: "Acme" }) {
  const answer = await kit.request("POST", "/v1/customers", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

test("a customer is created, read, changed and deleted, with its audit entries", async (t) => {
  const kit = await freshKit(t);
  const metadata = { plan: "gold", "with space": "ü", __proto: "x" };
  const made = await addCustomer(kit, { name: "Acme", external_id: "crm-1", metadata });
  assert.match(made.id, /^cus_[0-9a-z]{26}$/);
  assert.equal(made.object, "customer");
  assert.equal(made.external_id, "crm-1");
  assert.deepEqual(made.metadata, metadata);
  assert.equal(made.created_at, made.updated_at);
  assert.deepEqual((await kit.request("GET", `/v1/customers/${made.id}`)).body, made);
  const plain = await addCustomer(kit, { name: "Plain", external_id: null, metadata: null });
  assert.equal(plain.external_id, null);
  assert.deepEqual(plain.metadata, {});

  const patch = (body: object) => kit.request("PATCH", `/v1/customers/${made.id}`, { body });
  const renamed = (await patch({ name: "Acme Inc" })).body;
  assert.deepEqual({ ...renamed, updated_at: "" }, { ...made, name: "Acme Inc", updated_at: "" });
  assert.ok(renamed.updated_at >= made.updated_at);
  assert.deepEqual((await patch({ metadata: { a: "1" } })).body.metadata, { a: "1" });
  const cleared = (await patch({ external_id: null, metadata: null })).body;
  assert.equal(cleared.external_id, null);
  assert.deepEqual(cleared.metadata, {});
  assertRefused(await patch({ name: null }), 400, "invalid_request", "name");

  const gone = await kit.request("DELETE", `/v1/customers/${made.id}`);
  assert.equal(gone.status, 200);
  assert.deepEqual(gone.body, cleared);
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", {}],
    ["DELETE", undefined],
  ] as const) {
    const answer = await kit.request(method, `/v1/customers/${made.id}`, { body });
    assertRefused(answer, 404, "not_found");
  }
  const audit = await kit.rows(
    "select action from audit_log where target_type = 'customer' and target_id = $1 order by seq",
    [made.id],
  );
  assert.deepEqual(
    audit.map((row) => row.action),
    [
      "customer.created",
      "customer.updated",
      "customer.updated",
      "customer.updated",
      "customer.deleted",
    ],
  );
});

test("invalid customers are refused", async (t) => {
  const kit = await freshKit(t);
  const refused = async (body: object, param: string) => {
    const answer = await kit.request("POST", "/v1/customers", { body });
    assertRefused(answer, 400, "invalid_request", param);
  };
  await refused({}, "name");
  await refused({ name: "" }, "name");
  await refused({ name: "x".repeat(121) }, "name");
  await refused({ name: "a\u0007b" }, "name");
  await refused({ name: "A", external_id: "" }, "external_id");
  await refused({ name: "A", external_id: "x".repeat(256) }, "external_id");
  await refused({ name: "A", metadata: { plan: 1 } }, "metadata.plan");
  await refused({ name: "A", metadata: { plan: "x".repeat(501) } }, "metadata.plan");
  await refused({ name: "A", metadata: { ["k".repeat(41)]: "x" } }, "metadata");
  await refused({ name: "A", metadata: [] }, "metadata");
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, "x"]));
  await refused({ name: "A", metadata: many }, "metadata");
  await refused({ name: "A", externalid: "x" }, "externalid");
  assert.deepEqual(await kit.rows("select 1 from customers"), []);
  await addCustomer(kit, { name: "\u{1F600}".repeat(120) });
});

test("no two customers of an account share an external_id, even under concurrency", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  const body = { name: "Acme", external_id: "crm-1" };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => kit.request("POST", "/v1/customers", { body })),
  );
  assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
  for (const answer of answers.filter((one) => one.status !== 201)) {
    assertRefused(answer, 409, "already_exists", "external_id");
  }
  await addCustomer(other, body);
  const second = await addCustomer(kit, { name: "Second" });
  const taken = await kit.request("PATCH", `/v1/customers/${second.id}`, {
    body: { external_id: "crm-1" },
  });
  assertRefused(taken, 409, "already_exists", "external_id");
  const found = await kit.request("GET", "/v1/customers?external_id=crm-1");
  assert.equal(found.body.data.length, 1);
  assert.deepEqual((await kit.request("GET", "/v1/customers?external_id=none")).body.data, []);
});

test("customers are listed newest first, by pages, within one account", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  const names = ["one", "two", "three", "four", "five"];
  for (const name of names) await addCustomer(kit, { name });
  const theirs = await addCustomer(other);
  const first = await kit.request("GET", "/v1/customers?limit=2");
  const second = await kit.request("GET", `/v1/customers?limit=2&cursor=${first.body.next_cursor}`);
  await addCustomer(kit, { name: "six" });
  const third = await kit.request("GET", `/v1/customers?limit=2&cursor=${second.body.next_cursor}`);
  const listed = [first, second, third].flatMap((page) => page.body.data);
  assert.deepEqual(
    listed.map((one) => one.name),
    [...names].reverse(),
  );
  assert.equal(third.body.has_more, false);
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", { name: "Mine" }],
    ["DELETE", undefined],
  ] as const) {
    const answer = await kit.request(method, `/v1/customers/${theirs.id}`, { body });
    assertRefused(answer, 404, "not_found");
  }
  for (const id of [UNKNOWN, "nonsense", `cus_${"z".repeat(26)}`]) {
    assertRefused(await kit.request("GET", `/v1/customers/${id}`), 404, "not_found");
  }
});

test("customers are found by part of their name or external id, in any case", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  await addCustomer(kit, { name: "Acme Dental", external_id: "crm-1042" });
  await addCustomer(kit, { name: "100% Pets", external_id: "CRM_77" });
  await addCustomer(kit, { name: "Dental Two" });
  await addCustomer(other, { name: "Dental of others" });
  const list = (query: Record<string, string>) =>
    kit.request("GET", `/v1/customers?${new URLSearchParams(query)}`);
  const names = async (q: string) =>
    (await list({ q })).body.data.map((row: { name: string }) => row.name);
  assert.deepEqual(await names("  DENTAL "), ["Dental Two", "Acme Dental"]);
  assert.deepEqual(await names("crm"), ["100% Pets", "Acme Dental"]);
  assert.deepEqual(await names("0% p"), ["100% Pets"]);
  assert.deepEqual(await names("crm_"), ["100% Pets"], "no character is a wildcard");
  assert.deepEqual(await names("%"), ["100% Pets"]);
  const both = await list({ q: "dental", external_id: "crm-1042" });
  assert.deepEqual(both.body.data.length, 1);
  const first = await list({ q: "dental", limit: "1" });
  const cursor = first.body.next_cursor;
  const second = await list({ q: "Dental", limit: "1", cursor });
  assert.deepEqual(second.body.data[0].name, "Acme Dental");
  assertRefused(await list({ q: "pets", cursor }), 400, "invalid_request", "cursor");
  assertRefused(await list({ q: "  " }), 400, "invalid_request", "q");
  assertRefused(await list({ q: "x".repeat(101) }), 400, "invalid_request", "q");
});

test("a customer with numbers cannot be deleted; without them it can", async (t) => {
  const kit = await freshKit(t);
  const customer = await addCustomer(kit);
  await buy(kit, "+14155550100", { body: { customer_id: customer.id } });
  await buy(kit, "+14155550101", { body: { customer_id: customer.id } });
  const refused = await kit.request("DELETE", `/v1/customers/${customer.id}`);
  assertRefused(refused, 409, "invalid_state");
  await kit.request("DELETE", "/v1/numbers/+14155550100");
  await kit.request("PATCH", "/v1/numbers/+14155550101", { body: { customer_id: null } });
  assert.equal((await kit.request("DELETE", `/v1/customers/${customer.id}`)).status, 200);
  const released = await kit.request("GET", "/v1/numbers/+14155550100");
  assert.equal(released.body.customer_id, customer.id, "history keeps its customer");
});

test("concurrent assignment and deletion never leave a number with a deleted customer", async (t) => {
  const kit = await freshKit(t);
  await buy(kit, "+14155550100");
  for (let round = 0; round < 10; round += 1) {
    const customer = await addCustomer(kit);
    await Promise.all([
      kit.request("PATCH", "/v1/numbers/+14155550100", { body: { customer_id: customer.id } }),
      kit.request("DELETE", `/v1/customers/${customer.id}`),
    ]);
    const held = await kit.rows(
      "select customer_id as id from numbers where customer_id is not null",
    );
    const there = new Set((await kit.rows("select id from customers")).map(({ id }) => id));
    assert.deepEqual(
      held.filter(({ id }) => !there.has(id)),
      [],
    );
  }
});

test("a foreign customer is unknown_customer; a filter also accepts a deleted one", async (t) => {
  const kit = await freshKit(t);
  const { deps, account } = kit;
  const made = await addCustomer(kit);
  const uuid = await customerFilterOf(deps.db, account, made.id);
  assert.equal((await findCustomerCached(deps, account, made.id)).name, "Acme");
  const isUnknown = (error: unknown) =>
    error instanceof Problem &&
    error.code === "unknown_customer" &&
    error.details.param === "customer_id";
  const otherAccount = { id: deps.ids.make(), shard: account.shard };
  await assert.rejects(customerFilterOf(deps.db, otherAccount, made.id), isUnknown);
  await assert.rejects(customerFilterOf(deps.db, account, "nonsense"), isUnknown);
  await assert.rejects(customerFilterOf(deps.db, account, UNKNOWN), isUnknown);
  await assert.rejects(findCustomerCached(deps, account, UNKNOWN), isUnknown);
  await kit.request("DELETE", `/v1/customers/${made.id}`);
  await until(() => findCustomerCached(deps, account, made.id).then(() => false, isUnknown), 900);
  assert.equal(await customerFilterOf(deps.db, account, made.id), uuid);
  for (const list of ["messages", "numbers", "consent"]) {
    const known = await kit.request("GET", `/v1/${list}?customer_id=${made.id}`);
    assert.deepEqual([known.status, known.body.data], [200, []], list);
    const unknown = await kit.request("GET", `/v1/${list}?customer_id=${UNKNOWN}`);
    assert.equal(unknown.body.error.code, "unknown_customer", list);
  }
});

test("Idempotency-Key: a retry creates no second customer", async (t) => {
  const kit = await freshKit(t);
  const headers = { "idempotency-key": "c-1" };
  const body = { name: "Acme" };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => kit.request("POST", "/v1/customers", { headers, body })),
  );
  const ids = new Set(answers.filter((one) => one.status === 201).map((one) => one.body.id));
  assert.equal(ids.size, 1);
  assert.equal((await kit.rows("select 1 from customers")).length, 1);
});
