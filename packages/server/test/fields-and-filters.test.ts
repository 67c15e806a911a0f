import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { toApiId } from "../src/core/platform/ids.ts";
import { giveNumber } from "../testing/give-number.ts";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  log,
  startHookReceiver,
} from "../testing/hook-receiver.ts";
import { goLive } from "../testing/live.ts";
import { assertProblem } from "../testing/problems.ts";
import { suiteKit } from "../testing/suite.ts";
import { until } from "../testing/until.ts";

const MINUTE_MS = 60_000;
const TEST_NUMBER = "+15005550100";
const LIVE_NUMBER = "+12065550100";
/** Cache time of a key: a request after it reads the key and records its use. */
const KEY_CACHE_MS = 1_050;

describe("fields and filters of modes, key use and outcomes", () => {
  const kit = suiteKit({ LONGWAVE_ALLOW_TARGETS: LOCAL_TARGETS.LONGWAVE_ALLOW_TARGETS });
  const get = async (path: string, key?: string) =>
    (await kit().request("GET", `/v1${path}`, key === undefined ? {} : { key })).body;
  const ids = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id);

  it("a key's last_used_at is updated at most once a minute", async () => {
    const { operator, request, deps, account, advance } = kit();
    const keys = `/accounts/${toApiId("account", account.id)}/keys`;
    const made = (await operator("POST", keys, { mode: "test", name: "Used" })).body;
    assert.equal(made.last_used_at, null);
    const lastUsed = async (): Promise<string | null> => {
      const { data } = (await operator("GET", `${keys}?limit=100`)).body;
      return data.find(({ id }: { id: string }) => id === made.id).last_used_at;
    };
    const use = () => request("GET", "/v1/account", { key: made.key });
    const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    const before = minuteOf(deps.clock.now());
    await use();
    await until(async () => (await lastUsed()) !== null);
    const first = Date.parse((await lastUsed()) ?? "");
    assert.equal(first % MINUTE_MS, 0);
    assert.ok(first >= before && first <= deps.clock.now());
    await advance(60);
    assert.equal(Date.parse((await lastUsed()) ?? ""), first, "time alone does not count as use");
    await sleep(KEY_CACHE_MS);
    await use();
    await until(async () => Date.parse((await lastUsed()) ?? "") > first);
    assert.equal(Date.parse((await lastUsed()) ?? "") % MINUTE_MS, 0);
  });

  it("lists of messages, scheduled messages and batches filter by mode", async () => {
    const { request, testKey, liveKey, deps } = kit();
    await goLive(kit());
    await giveNumber(kit(), { phone: TEST_NUMBER });
    await giveNumber(kit(), { phone: LIVE_NUMBER, mode: "live", senderState: "active" });
    const scheduled_at = deps.clock.now() + 86_400_000;
    type ByMode = Record<"test" | "live", string>;
    const made = {
      messages: {} as ByMode,
      scheduled_messages: {} as ByMode,
      batches: {} as ByMode,
    };
    for (const [mode, key, from] of [
      ["test", testKey, TEST_NUMBER],
      ["live", liveKey, LIVE_NUMBER],
    ] as const) {
      const post = async (path: string, body: object) => {
        const answer = await request("POST", `/v1${path}`, { key, body });
        assert.ok(answer.status < 300, JSON.stringify(answer.body));
        return answer.body;
      };
      const text = { from, to: "+14155552671", body: "Hello" };
      const message = await post("/messages", text);
      assert.equal(message.simulated, mode === "test");
      const scheduled = await post("/messages", { ...text, scheduled_at });
      const batch = await post("/batches", {
        ...{ from, body: "Hello", scheduled_at },
        recipients: [{ to: "+14155552672" }],
      });
      assert.deepEqual([scheduled.mode, batch.mode], [mode, mode]);
      for (const [list, id] of [
        ["messages", message.id],
        ["scheduled_messages", scheduled.id],
        ["batches", batch.id],
      ] as const) {
        made[list][mode] = id;
      }
    }
    for (const list of ["scheduled_messages", "batches"] as const) {
      for (const mode of ["test", "live"] as const) {
        const [own, other] = mode === "test" ? [testKey, liveKey] : [liveKey, testKey];
        assert.deepEqual(ids(await get(`/${list}?mode=${mode}`, own)), [made[list][mode]]);
        assert.deepEqual(ids(await get(`/${list}?mode=${mode}`, other)), []);
        assert.deepEqual(ids(await get(`/${list}`, own)), [made[list][mode]]);
      }
      assertProblem(await request("GET", `/v1/${list}?mode=both`), 400, "invalid_request", "mode");
    }
    for (const [simulated, mode, key] of [
      ["true", "test", testKey],
      ["false", "live", liveKey],
    ] as const) {
      const expected = [made.messages[mode]];
      const path = `/messages?simulated=${simulated}`;
      for (const narrowed of [path, `${path}&to=4155552671`]) {
        assert.deepEqual(ids(await get(narrowed, key)), expected);
        assert.deepEqual(ids(await get(narrowed, key === testKey ? liveKey : testKey)), []);
      }
    }
    assertProblem(
      await request("GET", "/v1/messages?simulated=1"),
      400,
      "invalid_request",
      "simulated",
    );
  });

  it("messages, scheduled messages and batches have valid_for", async () => {
    const { request, deps, advance } = kit();
    const post = async (path: string, body: object) =>
      (await request("POST", `/v1${path}`, { body: { from: TEST_NUMBER, body: "Soon", ...body } }))
        .body;
    const to = "+15005550000";
    const scheduled_at = deps.clock.now() + 60_000;
    const message = await post("/messages", { to, valid_for: 600 });
    assert.equal(message.valid_for, 600);
    assert.equal((await get(`/messages/${message.id}`)).valid_for, 600);
    assert.equal((await get("/messages?limit=1")).data[0].valid_for, 600);
    assert.equal((await post("/messages", { to })).valid_for, null);
    const later = await post("/messages", { to, valid_for: 90, scheduled_at });
    assert.equal(later.valid_for, 90);
    const batch = await post("/batches", { recipients: [{ to }], valid_for: 900, scheduled_at });
    assert.deepEqual([batch.valid_for, (await get(`/batches/${batch.id}`)).valid_for], [900, 900]);
    assert.equal((await post("/batches", { recipients: [{ to }] })).valid_for, null);
    await advance(61);
    const { message_id } = await get(`/scheduled_messages/${later.id}`);
    const sent = (await get(`/messages/${message_id}`)).valid_for;
    // Counted from the message's creation, shortly after the due time.
    assert.ok(sent >= 80 && sent <= 90, `${sent}`);
  });

  it("the delivery log filters by outcome and by time, start inclusive, end exclusive", async (t) => {
    const receiver = await startHookReceiver(t);
    const hook = await createHook(kit(), receiver.url("/in"), { events: ["test.ping"] });
    const of = `endpoint_id=${hook.id}`;
    for (const status of [200, 500, 200]) {
      receiver.behave("/in", status);
      const known = (await log(kit(), of)).length;
      await emit(kit());
      await until(async () => (await log(kit(), of)).length > known);
      await kit().advance(1);
    }
    const all = await log(kit(), of);
    assert.deepEqual(
      all.map((entry: { ok: boolean }) => entry.ok),
      [true, false, true],
    );
    const [first, second, third] = all;
    const listed = async (query: string) =>
      (await log(kit(), `${of}&${query}`)).map((entry: { id: string }) => entry.id);
    assert.deepEqual(await listed("ok=true"), [first.id, third.id]);
    assert.deepEqual(await listed("ok=false"), [second.id]);
    assert.deepEqual(await listed(`created_after=${second.created_at}`), [second.id, third.id]);
    assert.deepEqual(await listed(`created_before=${second.created_at}`), [first.id]);
    const epochMs = Date.parse(second.created_at);
    assert.deepEqual(await listed(`created_after=${epochMs}&created_before=${epochMs + 1}`), [
      second.id,
    ]);
    assert.deepEqual(await listed(`ok=true&created_after=${second.created_at}`), [third.id]);
    for (const query of ["ok=1", "created_after=yesterday", "created_before=2026-13-01"]) {
      const answer = await kit().request("GET", `/v1/webhooks/deliveries?${query}`);
      assertProblem(answer, 400, "invalid_request", query.split("=")[0]);
    }
  });

  it("usage by day counts the key's mode, with approved verifications", async () => {
    const { request, testKey } = kit();
    const used = async () => (await get("/usage?by=day", testKey)).totals;
    const before = await used();
    const started = await request("POST", "/v1/verify", { body: { phone: "+14155552690" } });
    const check = { phone: "+14155552690", code: started.body.test_code };
    await request("POST", "/v1/verify/check", { body: check });
    const after = await used();
    assert.equal(after.verifications.count, before.verifications.count + 1);
    const usage = await get("/usage?by=day", testKey);
    assert.equal(usage.object, "usage");
    assert.ok(!("customer_id" in usage));
    assert.ok(usage.data.every(({ date }: { date: string }) => /^\d{4}-\d\d-\d\d$/.test(date)));
    assert.deepEqual(await get("/usage", testKey), usage, "rows are days by default");
    assertProblem(await request("GET", "/v1/usage?by=week"), 400, "invalid_request", "by");
  });
});
