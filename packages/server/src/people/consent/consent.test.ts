import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import type { Kit } from "../../../testing/kit.ts";
import { toApiId } from "../../core/platform/ids.ts";

const freshKit = freshAccounts();

const PHONE = "+14155550123";

/** A customer of the kit's account. */
async function createCustomer(kit: Kit, name: string): Promise<string> {
  const id = kit.deps.ids.make();
  await kit.rows(
    `insert into customers (shard, account_id, id, name, metadata, created_at, updated_at)
     values ($1, $2, $3, $4, '{}', now(), now())`,
    [kit.account.shard, kit.account.id, id, name],
  );
  return toApiId("customer", id);
}

function record(kit: Kit, body: object) {
  return kit.request("POST", "/v1/consent", { body });
}

test("a repeated opt-out is recorded once, and an opt-in with a source reverses it", async (t) => {
  const kit = await freshKit(t);
  const out = {
    phone_number: "(415) 555-0123",
    status: "opted_out",
    source: "call",
    note: "Asked",
  };
  const first = await record(kit, out);
  assert.equal(first.status, 201);
  assert.deepEqual(Object.keys(first.body), [
    "object",
    "phone_number",
    "customer_id",
    "status",
    "source",
    "match",
    "note",
    "basis",
    "expires_at",
    "recorded_by",
    "updated_at",
  ]);
  assert.match(first.body.recorded_by, /^key_/);
  assert.equal(first.body.object, "consent");
  assert.equal(first.body.phone_number, PHONE);
  assert.equal(first.body.customer_id, null);
  assert.equal(first.body.note, "Asked");
  assert.equal((await record(kit, out)).status, 200);
  const back = { phone_number: PHONE, status: "opted_in", source: "web_form" };
  assert.equal((await record(kit, back)).status, 201);

  const read = await kit.request("GET", `/v1/consent/${PHONE}`);
  assert.equal(read.status, 200);
  assert.equal(read.body.status, "opted_in");
  assert.equal(read.body.source, "web_form");
  assert.match(read.body.recorded_by, /^key_/);
  const statuses = read.body.history.map((entry: { status: string }) => entry.status);
  assert.deepEqual(statuses, ["opted_out", "opted_in"]);
  assert.equal(read.body.history[0].previous_hash, null);
  assert.equal(read.body.history[1].previous_hash, read.body.history[0].hash);
  assert.match(read.body.history[0].recorded_by, /^key_/);
});

test("the path takes a number in any form; an unrecorded number is 404, an invalid one 400", async (t) => {
  const kit = await freshKit(t);
  await record(kit, { phone_number: PHONE, status: "opted_out", source: "call" });
  for (const form of ["4155550123", "%2B14155550123", "(415)%20555-0123", "1-415-555-0123"]) {
    const read = await kit.request("GET", `/v1/consent/${form}`);
    assert.equal(read.status, 200, form);
    assert.equal(read.body.phone_number, PHONE);
  }
  const unseen = await kit.request("GET", "/v1/consent/+14155550199");
  assert.equal(unseen.status, 404);
  assert.equal((await kit.request("GET", "/v1/consent/+14155550199/proof")).status, 404);
  const nonsense = await kit.request("GET", "/v1/consent/nobody");
  assert.equal(nonsense.status, 400);
  assert.equal(nonsense.body.error.param, "phone");
});

test("errors name the invalid field", async (t) => {
  const kit = await freshKit(t);
  const good = { phone_number: PHONE, status: "opted_in", source: "web_form" };
  const cases: [object, string, string][] = [
    [{ ...good, phone_number: "12" }, "phone_number", "invalid_request"],
    [{ ...good, phone_number: "+18765551234" }, "phone_number", "invalid_request"],
    [{ ...good, status: "maybe" }, "status", "invalid_request"],
    [{ phone_number: PHONE, status: "opted_in" }, "source", "invalid_request"],
    [{ ...good, source: "" }, "source", "invalid_request"],
    [{ ...good, reason: "x" }, "reason", "invalid_request"],
    [{ ...good, customer_id: "cus_nobody" }, "customer_id", "unknown_customer"],
  ];
  for (const [body, param, code] of cases) {
    const answer = await record(kit, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.body.error.param, param);
    assert.equal(answer.body.error.code, code);
  }
  assert.deepEqual(await kit.rows("select 1 from consent_ledger"), []);
});

test("the list filters, and pages in a stable order while rows change", async (t) => {
  const kit = await freshKit(t);
  const customer = await createCustomer(kit, "Acme");
  const phones = ["+14155550101", "+14155550102", "+14155550103", "+14155550104", "+14155550105"];
  for (const [index, phone_number] of phones.entries()) {
    const status = index % 2 === 0 ? "opted_out" : "opted_in";
    assert.equal((await record(kit, { phone_number, status, source: "form" })).status, 201);
  }
  await record(kit, {
    phone_number: phones[0],
    status: "opted_in",
    source: "form",
    customer_id: customer,
  });
  const list = async (query: string) => {
    const answer = await kit.request("GET", `/v1/consent?${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const all = await list("");
  assert.equal(all.data.length, 6);
  assert.equal(all.data[0].customer_id, customer);
  assert.equal(all.has_more, false);
  assert.equal((await list("status=opted_out")).data.length, 3);
  assert.equal((await list(`phone_number=${phones[0]}`)).data.length, 2);
  assert.equal((await list(`customer_id=${customer}`)).data.length, 1);
  assert.equal((await list(`customer_id=${customer}&status=opted_out`)).data.length, 0);
  assert.equal((await list(`phone_number=4155550101&status=opted_out`)).data.length, 1);

  const seen: string[] = [];
  let cursor = "";
  for (let pages = 0; pages < 10; pages += 1) {
    const page = await list(`limit=2${cursor}`);
    seen.push(...page.data.map((row: { phone_number: string }) => row.phone_number));
    if (pages === 0) {
      await record(kit, { phone_number: phones[1], status: "opted_out", source: "changed" });
    }
    if (!page.has_more) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  assert.deepEqual(seen, [phones[0], ...[...phones].reverse()]);
  const foreign = await kit.request("GET", `/v1/consent?status=opted_in&limit=2${cursor}`);
  assert.equal(foreign.status, 400);
  assert.equal(foreign.body.error.param, "cursor");
  const unknown = await kit.request("GET", "/v1/consent?customer_id=cus_nobody");
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.error.param, "customer_id");
});

test("consent is per customer, and an opt-out of the account covers all customers", async (t) => {
  const kit = await freshKit(t);
  const acme = await createCustomer(kit, "Acme");
  const best = await createCustomer(kit, "Best");
  const at = async (customer: string | null) => {
    const query = customer ? `?customer_id=${customer}` : "";
    return (await kit.request("GET", `/v1/consent/${PHONE}${query}`)).body;
  };
  await record(kit, {
    phone_number: PHONE,
    status: "opted_out",
    source: "call",
    customer_id: acme,
  });
  assert.equal((await at(acme)).status, "opted_out");
  assert.equal((await at(best)).status, "unknown");
  assert.equal((await at(null)).status, "opted_out");
  assert.equal((await at(null)).customer_id, acme);
  await record(kit, { phone_number: PHONE, status: "opted_out", source: "call" });
  assert.equal((await at(best)).status, "opted_out");
  assert.equal((await at(best)).customer_id, null);
  await record(kit, { phone_number: PHONE, status: "opted_in", source: "form", customer_id: best });
  assert.equal((await at(best)).status, "opted_in");
  assert.equal((await at(null)).status, "opted_out");
  // A second opt-out of the account overrides the customer's opt-in.
  assert.equal(
    (await record(kit, { phone_number: PHONE, status: "opted_out", source: "call" })).status,
    201,
  );
  assert.equal((await at(best)).status, "opted_out");
  assert.equal((await at(null)).states.length, 3);
});

test("an import counts recorded rows, lists skipped ones, and reverses no opt-out", async (t) => {
  const kit = await freshKit(t);
  await record(kit, { phone_number: PHONE, status: "opted_out", source: "call" });
  const numbers = [
    { phone_number: PHONE, status: "opted_in" },
    { phone_number: "415-555-0150", status: "opted_in", date: "2026-01-05", source: "fair" },
    { phone_number: "+14155550150", status: "opted_in", source: "fair" },
    { phone_number: "+14155550151", status: "opted_out", date: 1_700_000_000_000 },
    { phone_number: "+14155550151", status: "opted_in" },
    { phone_number: "555", status: "opted_out" },
    { phone_number: "+14155550152", status: "opted_in", date: "next week" },
    { phone_number: "+14155550152", status: "opted_in", date: "2999-01-01" },
    { phone_number: PHONE, status: "opted_out" },
  ];
  const answer = await kit.request("POST", "/v1/consent/import", { body: { numbers } });
  assert.equal(answer.status, 200);
  const { skipped, ...counts } = answer.body;
  assert.deepEqual(counts, { object: "consent_import", opted_in: 1, opted_out: 1, unchanged: 2 });
  assert.deepEqual(
    skipped.map((one: { index: number; reason: string }) => [one.index, one.reason]),
    [
      [0, "opted_out"],
      [4, "opted_out"],
      [5, "malformed"],
      [6, "invalid_date"],
      [7, "invalid_date"],
    ],
  );
  const read = await kit.request("GET", "/v1/consent/+14155550150");
  assert.equal(read.body.history[0].date, "2026-01-05T00:00:00.000Z");
  assert.equal(read.body.history[0].source, "fair");
  assert.equal((await kit.request("GET", `/v1/consent/${PHONE}`)).body.status, "opted_out");
  assert.equal((await kit.request("GET", "/v1/consent/+14155550151")).body.status, "opted_out");
});

test("an import takes 500 numbers but not 501, and names the row of an unknown field", async (t) => {
  const kit = await freshKit(t);
  const row = (index: number) => ({
    phone_number: `+1415555${String(1000 + index)}`,
    status: "opted_out",
  });
  const send = (numbers: object[]) =>
    kit.request("POST", "/v1/consent/import", { body: { numbers } });
  const many = Array.from({ length: 500 }, (_, index) => row(index));
  const taken = await send(many);
  assert.equal(taken.status, 200);
  assert.equal(taken.body.opted_out, 500);
  assert.equal((await send([...many, row(500)])).body.error.param, "numbers");
  assert.equal((await send([])).status, 400);
  const odd = await send([row(1), { ...row(2), opted: true }]);
  assert.equal(odd.body.error.param, "numbers[1].opted");
  assert.equal((await send([{ ...row(1), status: "x" }])).body.error.param, "numbers[0].status");
});

test("other accounts see no consent, and keys need the consent scope", async (t) => {
  const kit = await freshKit(t);
  await record(kit, { phone_number: PHONE, status: "opted_out", source: "call" });
  const account = await kit.operator("POST", "/accounts", { name: "Other" });
  const mint = async (body: object) =>
    (await kit.operator("POST", `/accounts/${account.body.id}/keys`, body)).body.key as string;
  const key = await mint({ mode: "test" });
  assert.equal((await kit.request("GET", `/v1/consent/${PHONE}`, { key })).status, 404);
  assert.deepEqual((await kit.request("GET", "/v1/consent", { key })).body.data, []);
  const narrow = await mint({ mode: "test", scopes: ["messages:read"] });
  for (const path of ["", "/+14155550123", "/+14155550123/proof"]) {
    const refused = await kit.request("GET", `/v1/consent${path}`, { key: narrow });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.error.required_scope, "consent");
  }
});

test("a repeated request with the same Idempotency-Key records once", async (t) => {
  const kit = await freshKit(t);
  const body = { phone_number: PHONE, status: "opted_out", source: "call" };
  const headers = { "idempotency-key": "consent-1" };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => kit.request("POST", "/v1/consent", { body, headers })),
  );
  assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 409));
  const again = await kit.request("POST", "/v1/consent", { body, headers });
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  const entries = await kit.rows("select mode from consent_ledger order by mode");
  assert.deepEqual(entries, [{ mode: "live" }, { mode: "test" }]);
});
