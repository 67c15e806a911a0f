import assert from "node:assert/strict";
import { test } from "node:test";
import { retryWaitMs } from "../src/core/retry.ts";
import {
  ApiError,
  BadRequestError,
  CarrierError,
  ConflictError,
  ConnectionError,
  DeadlineError,
  Longwave,
  RateLimitError,
  UnavailableError,
} from "../src/index.ts";
import { answer, fakeFetch, type Reply, refusal } from "./fake-server.ts";

const QUICK = [1, 1];

function clientOf(replies: readonly Reply[], retryDelaysMs: readonly number[] = QUICK) {
  const { fetch, asked } = fakeFetch(replies);
  const client = new Longwave({
    apiKey: "svc_sk_test_1",
    operatorToken: "operator",
    baseUrl: "http://localhost:1/",
    fetch,
    retryDelaysMs,
  });
  return { client, asked };
}

test("a call goes to its path with the key, and returns the object", async () => {
  const { client, asked } = clientOf([answer(200, { object: "account" })]);
  const account = await client.account.get();
  assert.equal(account.object, "account");
  assert.equal(asked[0]?.method, "GET");
  assert.equal(asked[0]?.url.href, "http://localhost:1/v1/account");
  assert.equal(asked[0]?.headers.get("authorization"), "Bearer svc_sk_test_1");
  assert.equal(asked[0]?.headers.get("idempotency-key"), null);
});

test("operator calls carry the operator token, and ids are escaped", async () => {
  const { client, asked } = clientOf([answer(200, {})]);
  await client.operator.accounts.get("a/b?c");
  assert.equal(asked[0]?.url.pathname, "/operator/v1/accounts/a%2Fb%3Fc");
  assert.equal(asked[0]?.headers.get("authorization"), "Bearer operator");
});

test("an empty id is refused before anything is sent", () => {
  const { client, asked } = clientOf([]);
  assert.throws(() => client.operator.accounts.get(""), TypeError);
  assert.throws(() => client.operator.accounts.get(".."), TypeError);
  assert.equal(asked.length, 0);
});

test("a missing credential is reported by name", async () => {
  const client = new Longwave({ apiKey: "svc_sk_test_1" });
  await assert.rejects(client.operator.clock.get(), /operatorToken/);
});

test("a retried POST keeps its Idempotency-Key and body", async () => {
  const { client, asked } = clientOf([
    new TypeError("fetch failed"),
    refusal(503, "unavailable"),
    answer(201, { object: "account" }),
  ]);
  await client.operator.accounts.create({ name: "Acme" });
  const keys = asked.map((one) => one.headers.get("idempotency-key"));
  assert.equal(asked.length, 3);
  assert.match(keys[0] ?? "", /^auto_[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(
    asked.map((one) => one.body),
    Array(3).fill('{"name":"Acme"}'),
  );
});

test("two calls never share a key, and an explicit key is used", async () => {
  const { client, asked } = clientOf([answer(201, {}), answer(201, {}), answer(201, {})]);
  await client.operator.accounts.create({ name: "A" });
  await client.operator.accounts.create({ name: "A" });
  await client.operator.accounts.create({ name: "A" }, { idempotencyKey: "mine" });
  const keys = asked.map((one) => one.headers.get("idempotency-key"));
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "mine");
});

test("the list of delays bounds the retries; the last failure is thrown", async () => {
  const limited = () => refusal(429, "rate_limited", { "retry-after": "0" });
  const { client, asked } = clientOf([limited(), limited(), limited()]);
  await assert.rejects(client.account.get(), RateLimitError);
  assert.equal(asked.length, 3);
});

test("a Retry-After longer than our own delay is honoured", async () => {
  const limited = refusal(429, "rate_limited", { "retry-after": "1" });
  const { client } = clientOf([limited, answer(200, {})]);
  const begun = performance.now();
  await client.account.get();
  assert.ok(performance.now() - begun >= 990);
});

test("a Retry-After beyond the limit throws to the caller", async () => {
  const { client, asked } = clientOf([refusal(429, "quota_exceeded", { "retry-after": "3600" })]);
  const error = await client.account.get().catch((caught: unknown) => caught);
  assert.ok(error instanceof RateLimitError);
  assert.equal(error.retryAfterSeconds, 3600);
  assert.equal(asked.length, 1);
});

test("a request still in progress is retried", async () => {
  const { client } = clientOf([
    refusal(409, "idempotency_in_progress", { "retry-after": "0" }),
    answer(201, { object: "account" }),
  ]);
  assert.equal((await client.operator.accounts.create({ name: "A" })).object, "account");
});

test("permanent errors are not retried", async () => {
  const cases: [Response, new (...args: never[]) => Error][] = [
    [refusal(400, "invalid_request"), BadRequestError],
    [refusal(409, "idempotency_conflict"), ConflictError],
    [refusal(502, "carrier_error"), CarrierError],
  ];
  for (const [reply, expected] of cases) {
    const { client, asked } = clientOf([reply]);
    await assert.rejects(client.operator.accounts.create({ name: "A" }), expected);
    assert.equal(asked.length, 1);
  }
});

test("errors of the server and of proxies are retried", async () => {
  const passing = [
    () => refusal(500, "internal_error"),
    () => refusal(408, "request_timeout"),
    () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
    () => new Response("", { status: 504 }),
  ];
  for (const fault of passing) {
    const { client, asked } = clientOf([fault(), answer(201, { object: "account" })]);
    await client.operator.accounts.create({ name: "A" });
    assert.equal(asked.length, 2);
    assert.equal(new Set(asked.map((one) => one.headers.get("idempotency-key"))).size, 1);
  }
});

test("delays have jitter, so that clients that failed together do not return together", () => {
  const failure = new ConnectionError("broken", null);
  const waits = Array.from({ length: 200 }, () => retryWaitMs("GET", failure, 1_000) ?? -1);
  assert.ok(waits.every((ms) => ms >= 500 && ms <= 1_000));
  assert.ok(new Set(waits).size > 100);
  const headers = new Headers({ "retry-after": "10" });
  const limited = new RateLimitError({ status: 429, headers, body: {} });
  const asked = Array.from({ length: 200 }, () => retryWaitMs("GET", limited, 1_000) ?? -1);
  assert.ok(asked.every((ms) => ms >= 10_000 && ms <= 11_000));
  assert.ok(new Set(asked).size > 100);
});

test("a DELETE without a response is not repeated, a refused one is", async () => {
  const lost = clientOf([new TypeError("fetch failed")]);
  await assert.rejects(lost.client.operator.keys.delete("key_1"), ConnectionError);
  const refused = clientOf([refusal(503, "unavailable"), answer(200, {})]);
  await refused.client.operator.keys.delete("key_1");
  assert.equal(refused.asked.length, 2);
});

test("an error carries all fields of the response", async () => {
  const { client } = clientOf([
    answer(403, {
      error: {
        code: "insufficient_scope",
        message: "No.",
        param: null,
        request_id: "req_9",
        required_scope: "verify",
      },
    }),
  ]);
  const error = await client.account.get().catch((caught: unknown) => caught);
  assert.ok(error instanceof ApiError);
  assert.equal(error.name, "PermissionError");
  assert.equal(error.message, "No.");
  assert.deepEqual(
    [error.status, error.code, error.param, error.requestId, error.requiredScope],
    [403, "insufficient_scope", null, "req_9", "verify"],
  );
});

test("a proxy's response is still an error with its status", async () => {
  const page = () => new Response("<h1>Bad gateway</h1>", { status: 503 });
  const { client } = clientOf([page()], []);
  const error = await client.account.get().catch((caught: unknown) => caught);
  assert.ok(error instanceof UnavailableError);
  assert.equal(error.code, "unknown");
  assert.equal(error.body, "<h1>Bad gateway</h1>");
});

function hang(_asked: unknown, signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

test("an attempt ends at its deadline and may be retried", async () => {
  const { client } = clientOf([hang, answer(200, { object: "account" })]);
  assert.equal((await client.account.get({ timeoutMs: 20 })).object, "account");
  const { client: patient } = clientOf([hang], []);
  await assert.rejects(patient.account.get({ timeoutMs: 20 }), DeadlineError);
});

test("the caller's signal ends a call at once, also while it waits to retry", async () => {
  const running = new AbortController();
  const { client, asked } = clientOf([hang]);
  const call = client.account.get({ signal: running.signal });
  running.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.equal(asked.length, 1);

  const waiting = new AbortController();
  const second = clientOf([refusal(503, "unavailable")], [60_000]);
  const pending = second.client.account.get({
    signal: waiting.signal,
    onResponse: () => setTimeout(() => waiting.abort(new Error("enough")), 5),
  });
  await assert.rejects(pending, /enough/);
});

test("a path without a method is called with body, query and options", async () => {
  const { client, asked } = clientOf([answer(200, { object: "x" }), answer(200, { object: "y" })]);
  await client.request("GET", "/v1/later", { query: { limit: 2 } });
  assert.equal(asked[0]?.url.href, "http://localhost:1/v1/later?limit=2");
  const made = await client.request<{ object: string }>("POST", "/v1/later", {
    body: { a: 1 },
    idempotencyKey: "once",
  });
  assert.equal(made.object, "y");
  assert.equal(asked[1]?.body, `{"a":1}`);
  assert.equal(asked[1]?.headers.get("idempotency-key"), "once");
});
