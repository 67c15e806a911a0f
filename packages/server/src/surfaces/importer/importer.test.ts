import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { cloneDatabase } from "../../../testing/cluster.ts";
import { startFaultProxy } from "../../../testing/fault-proxy.ts";
import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import {
  FIXTURE,
  madeOf,
  phones,
  runImport as run,
  toldOf,
} from "../../../testing/import-stage.ts";
import { startKit, startKitOn } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import {
  startTelnyx,
  startTwilio,
  TELNYX_LOGIN,
  TWILIO_LOGIN,
} from "../../../testing/mock-providers.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { createLog } from "../../core/platform/log.ts";

// biome-ignore lint/suspicious/noExplicitAny: items of numbers, pools and webhooks alike
const actions = (list: readonly any[], name: string) =>
  list.map((one) => [one[name], one.action, one.reason]);

describe("imports", () => {
  const env: Record<string, string> = { ...LOCAL_TARGETS };
  const kit = suiteKit(env);

  it("needs full access and the provider's credentials, and refuses unknown fields", async () => {
    const refuse = async (body: object, param: string) => {
      const answer = await kit().request("POST", "/console/v1/imports", { body });
      assertRefused(answer, 400, "invalid_request", param);
    };
    await refuse({ provider: "twilio", secret: "x" }, "account_sid");
    await refuse({ provider: "nobody", secret: "x" }, "provider");
    await refuse({ provider: "telnyx" }, "secret");
    await refuse({ ...TWILIO_LOGIN, secret: "a\nb" }, "secret");
    await refuse({ ...TWILIO_LOGIN, base_url: "https://x" }, "base_url");
    const path = `/accounts/${toApiId("account", kit().account.id)}/keys`;
    const { key } = (
      await kit().operator("POST", path, { mode: "test", scopes: ["numbers:write"] })
    ).body;
    const answer = await kit().request("POST", "/console/v1/imports", { body: TWILIO_LOGIN, key });
    assertRefused(answer, 403, "insufficient_scope");
    const unknown = await kit().request(
      "GET",
      "/console/v1/imports/aim_01jd0000000000000000000000",
    );
    assertRefused(unknown, 404, "not_found");
  });

  it("is an operation of the console, outside the API", async () => {
    assertRefused(await kit().request("GET", "/v1/imports"), 404, "not_found");
    assertRefused(await kit().request("POST", "/v1/imports", { body: {} }), 404, "not_found");
    const keyless = await kit().request("GET", "/console/v1/imports", { key: null });
    assertRefused(keyless, 401, "invalid_api_key");
    const patched = await kit().request("PATCH", "/console/v1/imports", { body: {} });
    assertRefused(patched, 405, "method_not_allowed");
    assert.equal(patched.headers.get("allow"), "GET, POST");
    const document = await kit().request("GET", "/v1/openapi.json", { key: null });
    assert.ok(!Object.keys(document.body.paths).some((path) => /\/imports/.test(path)));
  });

  it("the service ends a run without a heartbeat and records that in the audit log", async () => {
    const other = await secondAccount(kit());
    const { clock, ids } = kit().deps;
    await kit().rows(
      `insert into account_imports (shard, account_id, id, provider, dry_run, status, phase, done, plan, heartbeat_at, created_at)
       select shard, id, $1, 'telnyx', false, 'running', 'reading', 0, '{}', $2, $3 from accounts where id = $4`,
      [ids.make(), new Date(clock.now() - 120_000), new Date(clock.now()), other.account.id],
    );
    await run(other, TELNYX_LOGIN);
    const [silent, started, finished] = await toldOf(other);
    assert.deepEqual(silent, [
      "import.finished",
      "system",
      { status: "failed", error: "interrupted" },
    ]);
    assert.deepEqual([started?.[0], finished?.[0]], ["import.started", "import.finished"]);
  });

  it("an unreachable provider fails the import with a clear message", async () => {
    const failed = await run(kit(), TELNYX_LOGIN);
    assert.deepEqual(
      [failed.status, failed.error.code, failed.numbers],
      ["failed", "provider_unavailable", []],
    );
    assert.match(failed.error.message, /Telnyx cannot be reached/);
    const listed = await kit().request("GET", "/console/v1/imports");
    assert.equal(listed.body.data[0].id, failed.id);
    assert.deepEqual(
      (await (await secondAccount(kit())).request("GET", "/console/v1/imports")).body.data,
      [],
    );
  });
});

test("Twilio: a preview creates nothing, a run creates everything, a second run changes nothing", async (t) => {
  const mock = await startTwilio(t, FIXTURE, 3);
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  const before = await madeOf(kit);
  const preview = await run(kit, { ...TWILIO_LOGIN, dry_run: true });
  assert.equal(preview.status, "complete", JSON.stringify(preview.error));
  assert.deepEqual(await madeOf(kit), before);
  const [a, b, c, d] = phones(4);
  assert.deepEqual(actions(preview.numbers, "phone_number"), [
    ...[a, b, c, d].map((phone) => [phone, "create", null]),
    ["+16475550000", "create", null],
    ["+447700900123", "skip", "other_country"],
    ["+18765550123", "skip", "other_country"],
    ["+12065570000", "skip", "no_sms"],
    ["+15005550100", "skip", "not_portable"],
  ]);
  assert.deepEqual(actions(preview.pools, "name"), [
    ["Reminders", "create", null],
    ["Abroad", "skip", "no_numbers"],
    ["Toronto", "create", null],
    ...["1", "2", "3", "4"].map((name) => [name, "skip", "no_numbers"]),
  ]);
  assert.deepEqual(actions(preview.webhooks, "url"), [
    ["https://app.example.com/sms", "create", null],
    ["http://old.example.com/sms", "skip", "not_https"],
    ["https://app.example.com/status", "create", null],
    ["https://127.0.0.2/x", "skip", "not_public"],
    ["https://1.example.com/in", "create", null],
    ["https://2.example.com/in", "create", null],
    ["https://3.example.com/in", "create", null],
    ["https://4.example.com/in", "skip", "past_fifth"],
  ]);
  assert.ok(preview.not_copied.some((one: string) => one.includes("/v1/consent/import")));

  const done = await run(kit, TWILIO_LOGIN);
  assert.equal(done.status, "complete", JSON.stringify(done.error));
  assert.deepEqual(done.progress, { phase: "writing", done: 12, total: 12 });
  const made = await madeOf(kit);
  assert.deepEqual(
    made.ports.map((row) => [row.phone_number, row.provider, row.pools]),
    [a, b, c, d, "+16475550000"].map((phone) => [phone, "twilio", phone === d ? 0 : 1]),
  );
  assert.deepEqual(
    made.pools.map((row) => row.name),
    ["Reminders", "Toronto"],
  );
  assert.deepEqual(made.urls.map((row) => [row.url, row.events]).slice(3), [
    ["https://app.example.com/sms", ["message.received"]],
    ["https://app.example.com/status", ["message.sent", "message.delivered", "message.failed"]],
  ]);
  const counts = Object.fromEntries(made.entries.map((row) => [row.action, row.n]));
  assert.deepEqual(
    [counts["port_request.created"], counts["pool.created"], counts["webhook.created"]],
    [5, 2, 5],
  );
  const again = await run(kit, TWILIO_LOGIN);
  assert.equal(again.status, "complete");
  assert.deepEqual(
    [...again.numbers, ...again.pools, ...again.webhooks].filter((one) => one.action === "create"),
    [],
  );
  assert.deepEqual(await madeOf(kit), made);
  const started = (dry_run: boolean) => [
    "import.started",
    "api_key",
    { provider: "twilio", dry_run },
  ];
  const finished = (count: number) => [
    "import.finished",
    "api_key",
    { status: "complete", made: count },
  ];
  assert.deepEqual(await toldOf(kit), [
    ...[started(true), finished(0)],
    ...[started(false), finished(12)],
    ...[started(false), finished(0)],
  ]);

  // The number is ported: it joins the pool that was created for it.
  const { data } = (await kit.request("GET", `/v1/port_requests?phone_number=${a}`)).body;
  const step = (body: object) => kit.operator("PATCH", `/port_requests/${data[0].id}`, body);
  await step({ status: "submitted" });
  await step({ status: "foc_set", foc_date: "2026-12-01" });
  assert.equal((await step({ status: "complete" })).status, 200);
  const number = (await kit.request("GET", `/v1/numbers/${a}`)).body;
  assert.deepEqual(number.pools, [toApiId("pool", made.pools[0].id)]);
  const other = await secondAccount(kit);
  const theirs = await run(other, { ...TWILIO_LOGIN, dry_run: true });
  assert.deepEqual(
    theirs.numbers.slice(0, 5).map((one: { reason: string }) => one.reason),
    Array(5).fill("taken"),
  );
});

test("Telnyx: profiles become pools, the 2,001st number stays, credentials are nowhere", async (t) => {
  const many = phones(1_100, "+1206556").concat(phones(1_000, "+1425556"));
  const services = [
    { id: "p-1", name: "All", phones: many.slice(0, 5), url: "https://a.example.com/x" },
  ];
  // Numbers without messaging are skipped, which keeps the test fast.
  const numbers = many.map((phone, index) => ({ phone, sms: index < 5 || index >= 1_990 }));
  const mock = await startTelnyx(t, { numbers, services }, 250);
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    destination: { write: (line: string) => void lines.push(line) },
  });
  const env = { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TELNYX_URL: mock.url };
  const kit = await startKit(t, env, { log });
  const done = await run(kit, TELNYX_LOGIN);
  assert.equal(done.status, "complete", JSON.stringify(done.error));
  assert.equal(done.numbers.length, 2_001);
  assert.deepEqual(actions(done.numbers.slice(1_999), "phone_number"), [
    [many[1_999], "create", null],
    [many[2_000], "skip", "past_limit"],
  ]);
  const made = await madeOf(kit);
  assert.equal(made.ports.length, 15);
  assert.deepEqual(
    made.urls.map((row) => row.events),
    [["message.received", "message.sent", "message.delivered", "message.failed"]],
  );
  const rows = await kit.rows("select row_to_json(i)::text as text from account_imports i");
  for (const text of [...lines, ...rows.map((row) => row.text)]) {
    assert.ok(!text.includes(TELNYX_LOGIN.secret), text);
  }
});

test("a run that fails while reading creates nothing and says what to do; the next run may start at once", async (t) => {
  const mock = await startTwilio(t, FIXTURE, 3);
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  const before = await madeOf(kit);
  const failing = async (part: string, mishap: Parameters<typeof mock.fail>[1], code: string) => {
    mock.fail(part, mishap);
    const failed = await run(kit, TWILIO_LOGIN);
    assert.deepEqual([failed.status, failed.error?.code], ["failed", code], part);
    assert.deepEqual(await madeOf(kit), before);
  };
  await failing("Page=2", { status: 429, headers: { "retry-after": "600" } }, "provider_limited");
  await failing("/v1/Services?", { status: 200, body: "not JSON" }, "provider_answer");
  await failing("/v1/Services/MGcccc", { status: 400 }, "provider_answer");
  await failing("Page=1", { status: 401 }, "provider_refused");
  const refused = await run(kit, { ...TWILIO_LOGIN, secret: "wrong" });
  assert.equal(refused.error.code, "provider_refused");
  const missing = await run(kit, { ...TWILIO_LOGIN, account_sid: `AC${"0".repeat(32)}` });
  assert.equal(missing.error.code, "provider_refused");
  assert.equal((await run(kit, TWILIO_LOGIN)).status, "complete");
});

test("an account runs one import at a time; a replayed request starts none", async (t) => {
  const mock = await startTwilio(t, FIXTURE, 3);
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  mock.onAsk = () => gate;
  const headers = { "idempotency-key": "import-1" };
  const first = await kit.request("POST", "/console/v1/imports", { body: TWILIO_LOGIN, headers });
  assert.equal(first.status, 202);
  const second = await kit.request("POST", "/console/v1/imports", { body: TWILIO_LOGIN });
  assertRefused(second, 409, "invalid_state");
  const replay = await kit.request("POST", "/console/v1/imports", { body: TWILIO_LOGIN, headers });
  assert.equal(replay.headers.get("idempotent-replayed"), "true");
  open();
  await until(async () => {
    const { body } = await kit.request("GET", `/console/v1/imports/${first.body.id}`);
    return body.status === "complete";
  });
  assert.equal((await kit.rows("select 1 from account_imports")).length, 1);
});

test("a run whose process died is ended by the service; the next run continues where it stopped", async (t) => {
  const mock = await startTwilio(t, FIXTURE, 3);
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  const env = { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url, LONGWAVE_ROLES: "api" };
  const kit = await startKitOn(t, proxy.connection, env);
  // The database becomes unreachable right after the first commit, as if the process had been killed.
  let isAway = false;
  mock.onAsk = async (path) => {
    if (!path.includes("MGd4")) return;
    proxy.onceCommitted(() => {
      proxy.set("away");
      isAway = true;
    });
  };
  const started = await kit.request("POST", "/console/v1/imports", { body: TWILIO_LOGIN });
  assert.equal(started.status, 202);
  await until(() => isAway);
  proxy.set("none");
  mock.onAsk = async () => {};
  const half = await madeOf(kit);
  assert.deepEqual([half.pools.length, half.ports.length], [1, 0]);
  await kit.advance(120);
  const done = await run(kit, TWILIO_LOGIN);
  assert.equal(done.status, "complete", JSON.stringify(done.error));
  const ended = (await kit.request("GET", `/console/v1/imports/${started.body.id}`)).body;
  assert.equal(ended.status, "failed");
  const made = await madeOf(kit);
  assert.deepEqual([made.pools.length, made.ports.length, made.urls.length], [2, 5, 5]);
  const counts = Object.fromEntries(made.entries.map((row) => [row.action, row.n]));
  assert.deepEqual(
    [counts["port_request.created"], counts["pool.created"], counts["webhook.created"]],
    [5, 2, 5],
  );
  const told = (await toldOf(kit)).map(([action]) => action);
  const oneRun = ["import.started", "import.finished"];
  assert.deepEqual(told, [...oneRun, ...oneRun]);
});
