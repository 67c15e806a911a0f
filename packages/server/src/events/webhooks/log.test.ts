import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  log,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { countedDatabase } from "../../../testing/statement-counter.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { exportDeliveries } from "./export.ts";

const openAccount = freshAccounts(LOCAL_TARGETS);

const HEADER =
  "id,object,endpoint_id,event_id,event_type,mode,attempt,ok,status_code,error,explanation,latency_ms,response_body,replay,created_at";

async function csv(kit: Kit, query = ""): Promise<{ lines: string[]; headers: Headers }> {
  const answer = await kit.request("GET", `/v1/exports/webhook_deliveries${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.ok(answer.body.endsWith("\r\n"));
  return { lines: answer.body.slice(0, -2).split("\r\n"), headers: answer.headers };
}

test("the log is listed by endpoint and event, page by page", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/a"));
  const other = await createHook(kit, receiver.url("/b"));
  await emit(kit, 7);
  await until(async () => (await log(kit)).length === 14);
  const ofOne = await log(kit, `endpoint_id=${hook.id}`);
  assert.equal(ofOne.length, 7);
  const eventId = ofOne[3].event_id;
  assert.equal((await log(kit, `event_id=${eventId}`)).length, 2);
  const both = await log(kit, `event_id=${eventId}&endpoint_id=${other.id}`);
  assert.deepEqual(
    both.map((entry: Record<string, string>) => [entry["event_id"], entry["endpoint_id"]]),
    [[eventId, other.id]],
  );

  const seen: string[] = [];
  let cursor = "";
  for (let pages = 0; pages < 20; pages += 1) {
    const path = `/v1/webhooks/deliveries?endpoint_id=${hook.id}&limit=3${cursor}`;
    const { body } = await kit.request("GET", path);
    seen.push(...body.data.map((entry: { id: string }) => entry.id));
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(seen, ofOne.map((entry: { id: string }) => entry.id).toReversed());
  const misused = await kit.request("GET", `/v1/webhooks/deliveries?limit=3${cursor}`);
  assert.equal(misused.body.error.param, "cursor");
  for (const [query, param] of [
    ["event_id=evt_01jd0000000000000000000000", "event_id"],
    ["endpoint_id=nonsense", "endpoint_id"],
    ["limit=101", "limit"],
  ]) {
    const refused = await kit.request("GET", `/v1/webhooks/deliveries?${query}`);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.param, param);
  }
});

test("the export has every entry, filtered, with formulas escaped", async (t) => {
  const kit = await openAccount(t);
  const receiver = await startHookReceiver(t);
  receiver.behave("/evil", (response) =>
    response.writeHead(200).end('=HYPERLINK("https://evil.example","a, b")'),
  );
  receiver.behave("/bad", (response) => response.writeHead(500).end("+1 555\r\n-2"));
  const evil = await createHook(kit, receiver.url("/evil"));
  const bad = await createHook(kit, receiver.url("/bad"));
  await emit(kit);
  await until(async () => (await log(kit)).length === 2);
  const { lines, headers } = await csv(kit, `?endpoint_id=${evil.id}`);
  assert.match(String(headers.get("content-type")), /^text\/csv/);
  assert.match(String(headers.get("content-disposition")), /^attachment/);
  assert.equal(lines[0], HEADER);
  assert.equal(lines.length, 2);
  assert.ok(lines[1]?.includes(`,"'=HYPERLINK(""https://evil.example"",""a, b"")",false,`));
  const failed = await kit.request("GET", "/v1/exports/webhook_deliveries?ok=false");
  assert.ok(failed.body.includes(`,"'+1 555\r\n-2",`));
  assert.ok(failed.body.includes(bad.id));
  assert.ok(!failed.body.includes(evil.id));
  assert.equal((await csv(kit, "?ok=true")).lines.length, 2);
  const refused = await kit.request("GET", "/v1/exports/webhook_deliveries?ok=maybe");
  assert.equal(refused.body.error.param, "ok");
});

test("a large export is streamed as it is read", async (t) => {
  const kit = await startKit(t);
  const hook = await createHook(kit, "https://hooks.example.com/");
  const rows = 10_000;
  for (let start = 0; start < rows; start += 1_000) await insertEntries(kit, start, 1_000);
  const { lines } = await csv(kit, `?endpoint_id=${hook.id}`);
  assert.equal(lines.length, rows + 1);
  assert.equal(new Set(lines.map((line) => line.slice(0, 30))).size, rows + 1);
  assert.equal((await csv(kit, "?ok=false")).lines.length, rows / 2 + 1);

  // The server reads no further than a slow client does, and stops once the client disconnects.
  const { db, statements } = countedDatabase(kit.deps.db);
  const stream = await exportDeliveries(
    { ...kit.deps, db },
    { account: kit.account, mode: "test" },
    {},
  );
  stream.read();
  await until(() => stream.readableLength > 0);
  await kit.request("GET", "/v1/webhooks");
  assert.ok(statements() <= 3, `${statements()} parts were read for a client that took none`);
  stream.destroy();
  await kit.request("GET", "/v1/webhooks");
  assert.ok(statements() <= 3);
});

/** Entries whose ids go back in time from now, like real ones. */
async function insertEntries(kit: Kit, start: number, count: number): Promise<void> {
  const now = new Date(kit.deps.clock.now());
  await kit.rows(
    `insert into webhook_deliveries (shard, account_id, mode, id, endpoint_id, event_id, event_type, attempt,
       ok, status_code, latency_ms, response_body, replay, created_at)
     select $1, $2, 'test', (lpad(to_hex((extract(epoch from $3::timestamptz) * 1000)::bigint - n), 12, '0')
              || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
            (select id from webhook_endpoints limit 1), gen_random_uuid(), 'test.ping', 1,
            n % 2 = 0, case when n % 2 = 0 then 200 else 500 end, 5, repeat('r', 500), false, $4::timestamptz
       from generate_series($5::int, $6::int) as n`,
    [kit.account.shard, kit.account.id, now, now, start + 1, start + count],
  );
}

test("scopes: reading and replaying take one, changing endpoints another", async (t) => {
  const kit = await openAccount(t);
  const keyWith = async (scopes: string[]) =>
    (await kit.operatorApi.keys.create(`${accountId(kit)}`, { mode: "test", scopes: scopes as [] }))
      .key ?? "";
  const reader = await keyWith(["webhooks"]);
  const writer = await keyWith(["webhooks:write"]);
  const { id } = await createHook(kit, "https://hooks.example.com/");
  // biome-ignore format: one route per line, read as a table
  const routes: [string, string, string][] = [
    ["GET", "/v1/events", "webhooks"],
    ["GET", "/v1/events/wait", "webhooks"],
    ["POST", "/v1/events/evt_01jd0000000000000000000000/replay", "webhooks"],
    ["GET", "/v1/webhooks", "webhooks"],
    ["GET", "/v1/webhooks/deliveries", "webhooks"],
    ["GET", "/v1/webhooks/undelivered", "webhooks"],
    ["GET", "/v1/exports/webhook_deliveries", "webhooks"],
    ["POST", "/v1/webhooks", "webhooks:write"],
    ["GET", `/v1/webhooks/${id}`, "webhooks:write"],
    ["PATCH", `/v1/webhooks/${id}`, "webhooks:write"],
    ["POST", `/v1/webhooks/${id}/test`, "webhooks:write"],
    ["POST", `/v1/webhooks/${id}/replay_failed`, "webhooks:write"],
    ["DELETE", `/v1/webhooks/${id}`, "webhooks:write"],
  ];
  for (const [method, path, scope] of routes) {
    const other = scope === "webhooks" ? writer : reader;
    const refused = await kit.request(method, path, { key: other });
    assert.equal(refused.status, 403, `${method} ${path}`);
    assert.equal(refused.body.error.required_scope, scope);
  }
  for (const key of [reader, writer]) {
    const refused = await kit.request("POST", `/v1/webhooks/${id}/rotate_secret`, { key });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.error.required_scope, null);
  }
  for (const [method, path, scope] of routes) {
    const own = scope === "webhooks" ? reader : writer;
    const allowed = await kit.request(method, path, { key: own });
    assert.notEqual(allowed.status, 403, `${method} ${path}`);
  }
});

function accountId(kit: Kit): string {
  return toApiId("account", kit.account.id);
}
