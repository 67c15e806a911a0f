import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeStage } from "../../../testing/example-fixtures.ts";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { type Answer, OPERATOR_TOKEN, startKitOn } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { isShifted } from "../../core/platform/clock.ts";
import { canonicalJson } from "./fingerprint.ts";

const freshKit = freshAccounts();

const HOUR_MS = 3_600_000;

describe("Idempotency-Key", () => {
  const kit = suiteKit();
  let count = 0;
  const freshKey = () => {
    count += 1;
    return `key-${count}`;
  };
  const create = (key: string | null, body: unknown, path = "/operator/v1/accounts") =>
    kit().request("POST", path, {
      key: OPERATOR_TOKEN,
      body,
      ...(key === null ? {} : { headers: { "idempotency-key": key } }),
    });
  const isReplay = (answer: Answer) => answer.headers.get("idempotent-replayed") === "true";
  const countAccounts = async (name: string) =>
    (await kit().rows("select count(*)::int as n from accounts where name = $1", [name]))[0].n;

  it("the same key and body do the work once and answer the same", async () => {
    const key = freshKey();
    const first = await create(key, { name: "once" });
    const second = await create(key, { name: "once" });
    assert.equal(first.status, 201);
    assert.equal(isReplay(first), false);
    assert.equal(second.status, 201);
    assert.equal(isReplay(second), true);
    assert.deepEqual(second.body, first.body);
    assert.notEqual(second.headers.get("x-request-id"), first.headers.get("x-request-id"));
    assert.equal(await countAccounts("once"), 1);
  });

  it("without a key every request does the work", async () => {
    await create(null, { name: "twice" });
    await create(null, { name: "twice" });
    assert.equal(await countAccounts("twice"), 2);
  });

  it("key order and white space of a body make no difference", async () => {
    const { body } = await create(null, { name: "orders" });
    const path = `/operator/v1/accounts/${body.id}/credits`;
    const key = freshKey();
    const first = await create(key, '{"amount_usd":1.5,"note":"a"}', path);
    for (const text of [
      '{ "note":"a",\n "amount_usd": 1.50 }',
      '{"note":"\\u0061","amount_usd":15e-1}',
    ]) {
      const again = await create(key, text, path);
      assert.equal(isReplay(again), true);
      assert.deepEqual(again.body, first.body);
    }
  });

  it("another body or another path is a conflict, and does nothing", async () => {
    const key = freshKey();
    const { body } = await create(key, { name: "conflict" });
    assertProblem(await create(key, { name: "conflict 2" }), 409, "idempotency_conflict", null);
    const path = `/operator/v1/accounts/${body.id}/credits`;
    assertProblem(await create(key, { amount_usd: 1 }, path), 409, "idempotency_conflict", null);
    assert.equal(await countAccounts("conflict 2"), 0);
    assert.equal((await kit().operator("GET", `/accounts/${body.id}`)).body.balance_usd, 0);
  });

  it("field checks beyond the schema come before a key conflict", async () => {
    const { testKey } = await makeStage(kit());
    const post = (path: string, body: unknown) =>
      kit().request("POST", path, {
        key: testKey,
        body,
        headers: { "idempotency-key": "used before" },
      });
    assert.equal((await post("/v1/customers", { name: "Acme" })).status, 201);
    const [from, to] = ["+15005550100", "+14155552671"];
    const text = { from, to, body: "Hello" };
    const company = { business_name: "Acme", website: "https://acme.example", use_case: "mixed" };
    // biome-ignore format: read as a table
    const calls: [path: string, right: object, wrong: object, param: string][] = [
      ["/v1/messages",         text,                                              { to: "zz" },               "to"],
      ["/v1/batches",          { from, body: "Hello", recipients: [{ to }] },     { body: "Hello {{" },       "body"],
      ["/v1/verify",           { phone: to },                                     { phone: "zz" },            "phone"],
      ["/v1/verify/check",     { phone: to, code: "123456" },                     { code: "12a456" },         "code"],
      ["/v1/contacts",         { phone_number: to },                              { phone_number: "zz" },     "phone_number"],
      ["/v1/consent",          { phone_number: to, status: "opted_out", source: "form" }, { phone_number: "zz" }, "phone_number"],
      ["/v1/schedules",        { ...text, timezone: "UTC", cron: "0 9 * * *" },   { cron: "every day" },      "cron"],
      ["/v1/webhooks",         { url: "https://acme.example/", events: ["*"] },   { url: "ftp://acme.example/" }, "url"],
      ["/v1/verified_numbers", { phone_number: to },                              { phone_number: "zz" },     "phone_number"],
      ["/v1/registrations",    company,                                           { website: "ftp://acme" },  "website"],
      ["/v1/test/inbound",     { from: to, to: from, body: "Hello" },             { body: " " },              "body"],
    ];
    for (const [path, right, wrong, param] of calls) {
      assertProblem(await post(path, right), 409, "idempotency_conflict", null);
      assertProblem(await post(path, { ...right, ...wrong }), 400, "invalid_request", param);
    }
  });

  it("accounts and modes do not see each other's keys", async () => {
    const stages = [await makeStage(kit()), await makeStage(kit())];
    const key = freshKey();
    const ids = new Set<string>();
    for (const stage of stages) {
      for (const bearer of [stage.testKey, stage.liveKey]) {
        const options = {
          key: bearer,
          body: { name: "Acme" },
          headers: { "idempotency-key": key },
        };
        const first = await kit().request("POST", "/v1/customers", options);
        assert.equal(first.status, 201);
        assert.equal(isReplay(first), false);
        assert.equal(isReplay(await kit().request("POST", "/v1/customers", options)), true);
        ids.add(first.body.id);
      }
    }
    assert.equal(ids.size, 4);
  });

  it("all keys of one account and mode share them, if they have the scope", async () => {
    const stage = await makeStage(kit());
    const { operatorApi } = kit();
    const mint = async (scopes: ("customers" | "lookup")[]) =>
      (await operatorApi.keys.create(stage.accountId, { mode: "test", scopes })).key ?? "";
    const send = (bearer: string) =>
      kit().request("POST", "/v1/customers", {
        key: bearer,
        body: { name: "Acme" },
        headers: { "idempotency-key": "shared" },
      });
    const first = await send(stage.testKey);
    const other = await send(await mint(["customers"]));
    assert.equal(isReplay(other), true);
    assert.equal(other.body.id, first.body.id);
    assertProblem(await send(await mint(["lookup"])), 403, "insufficient_scope");
  });

  it("a failure releases the key: the same or another request may use it", async () => {
    const key = freshKey();
    const missing = "/operator/v1/accounts/acct_00000000000000000000000000/credits";
    assertProblem(await create(key, { amount_usd: 1 }, missing), 404, "not_found");
    assertProblem(await create(key, { amount_usd: "x" }, missing), 400, "invalid_request");
    const { body } = await create(null, { name: "freed" });
    const path = `/operator/v1/accounts/${body.id}/credits`;
    assertProblem(await create(key, { amount_usd: 0 }, path), 400, "invalid_request");
    const done = await create(key, { amount_usd: 1 }, path);
    assert.equal(done.status, 201);
    assert.equal(isReplay(done), false);
  });

  it("a refusal leaves no row", async () => {
    const before = await kit().rows("select count(*)::int as n from idempotency_keys");
    await create(freshKey(), { amount_usd: 1 }, "/operator/v1/accounts/acct_x/credits");
    assert.deepEqual(await kit().rows("select count(*)::int as n from idempotency_keys"), before);
  });

  const badKeys: Record<string, string> = {
    empty: "",
    blank: "   ",
    "of 256 characters": "a".repeat(256),
    "not ASCII": "é",
    "with a tab": "a\tb",
  };
  for (const [what, key] of Object.entries(badKeys)) {
    it(`X21: a key that is ${what} is refused`, async () => {
      const answer = await create(key, { name: "bad key" });
      assertProblem(answer, 400, "invalid_request", "Idempotency-Key");
    });
  }

  it("X21: a key of 255 characters is accepted, and keys are stored hashed", async () => {
    const key = `secret-order-${"a".repeat(242)}`;
    assert.equal((await create(key, { name: "long key" })).status, 201);
    assert.equal(isReplay(await create(key, { name: "long key" })), true);
    const rows = await kit().rows("select * from idempotency_keys");
    for (const row of rows) assert.equal(row.key_hash.includes("secret-order"), false);
  });

  it("GET, PATCH and DELETE ignore it", async () => {
    const headers = { "idempotency-key": "same" };
    for (const flag of ["flag", "opt_out"]) {
      const answer = await kit().request("PATCH", "/v1/account", {
        body: { phrase_opt_out: flag },
        headers,
      });
      assert.equal(answer.body.phrase_opt_out, flag);
    }
    assert.equal((await kit().request("GET", "/v1/account", { headers })).status, 200);
  });

  it("an answer with a secret is replayed whole and stored encrypted", async () => {
    const { body } = await create(null, { name: "secrets" });
    const path = `/operator/v1/accounts/${body.id}/keys`;
    const key = freshKey();
    const first = await create(key, { mode: "test" }, path);
    const again = await create(key, { mode: "test" }, path);
    assert.equal(isReplay(again), true);
    assert.match(first.body.key, /^svc_sk_test_/);
    assert.deepEqual(again.body, first.body);
    const rows = await kit().rows("select response, encrypted from idempotency_keys");
    assert.ok(rows.some((row) => row.encrypted));
    for (const row of rows) assert.equal(row.response.includes("svc_sk_"), false);
  });
});

describe("expiry of a key after 24 hours", () => {
  it("replays one second before, and runs anew one second after", async (t) => {
    const kit = await freshKit(t);
    const { clock } = kit.deps;
    assert.ok(isShifted(clock));
    const send = () =>
      kit.request("POST", "/v1/customers", {
        body: { name: "Acme" },
        headers: { "idempotency-key": "day" },
      });
    const first = await send();
    const startedAt = clock.now();
    await kit.advance(24 * 3_600 - 60 - (clock.now() - startedAt) / 1_000);
    const before = await send();
    assert.equal(before.headers.get("idempotent-replayed"), "true");
    assert.equal(before.body.id, first.body.id);
    await kit.advance((startedAt + 24 * HOUR_MS + 1_000 - clock.now()) / 1_000);
    const after = await send();
    assert.equal(after.headers.get("idempotent-replayed"), null);
    assert.notEqual(after.body.id, first.body.id);
    const again = await send();
    assert.equal(again.body.id, after.body.id);
  });
});

describe("concurrent requests with one key", () => {
  it("50 identical requests over two processes do the work once", async (t) => {
    const one = await freshKit(t);
    const two = await startKitOn(t, one.connection);
    for (let round = 0; round < 3; round += 1) {
      const send = (kit: typeof one) =>
        kit.request("POST", "/v1/customers", {
          key: one.testKey,
          body: { name: `storm ${round}` },
          headers: { "idempotency-key": `storm-${round}` },
        });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => send(index % 2 === 0 ? one : two)),
      );
      const done = answers.filter((answer) => answer.status === 201);
      for (const answer of answers.filter((one) => one.status !== 201)) {
        assertProblem(answer, 409, "idempotency_in_progress", null);
        assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      }
      assert.equal(new Set(done.map((answer) => answer.body.id)).size, 1);
      const first = done.filter((answer) => !answer.headers.get("idempotent-replayed"));
      assert.equal(first.length, 1);
      const rows = await one.rows("select 1 from customers where name = $1", [`storm ${round}`]);
      assert.equal(rows.length, 1);
    }
  });

  it("with different bodies: exactly one succeeds, and the rest conflict", async (t) => {
    const kit = await freshKit(t);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        kit.request("POST", "/v1/customers", {
          body: { name: `other ${index}` },
          headers: { "idempotency-key": "others" },
        }),
      ),
    );
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    for (const answer of answers.filter((one) => one.status !== 201)) {
      assert.equal(answer.status, 409);
    }
    assert.equal((await kit.rows("select 1 from customers")).length, 1);
  });
});

describe("canonicalJson", () => {
  it("does not depend on key order, and distinguishes values", () => {
    assert.equal(
      canonicalJson({ b: [1, { d: null, c: "x" }], a: 1.5 }),
      '{"a":1.5,"b":[1,{"c":"x","d":null}]}',
    );
    assert.notEqual(canonicalJson({ a: "1" }), canonicalJson({ a: 1 }));
    assert.notEqual(canonicalJson({ a: [1, 2] }), canonicalJson({ a: [2, 1] }));
    assert.notEqual(canonicalJson({ a: null }), canonicalJson({}));
    assert.equal(canonicalJson(undefined), "null");
  });
});
