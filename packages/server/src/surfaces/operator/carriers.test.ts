import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import test from "node:test";
import { Smsc } from "@longwave/smpp/smsc";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../testing/provider-double.ts";
import {
  carriersFile,
  SMPP_FROM,
  smppEntry,
  startSmppStage,
  writeCarriers,
} from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";

const NOTHING_UNOWNED = { count: 0, last_at: null, last_number: null };

async function ready(kit: Kit) {
  const { status, body } = await kit.request("GET", "/readyz", { key: null });
  return { status, ready: body.ready, carriers: body.checks.carriers };
}

test("the operator sees every link, in order of priority, page by page", async (t) => {
  const file = await carriersFile(t, [
    { name: "second", type: "simulator", priority: 20, window: 5, numbers: [SMPP_FROM] },
    { name: "first", type: "simulator", priority: 1 },
  ]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  const { body } = await kit.operator("GET", "/carriers?limit=1");
  assert.equal(body.data[0].name, "first");
  assert.equal(body.data[0].state, "up");
  const next = await kit.operator("GET", `/carriers?limit=1&cursor=${body.next_cursor}`);
  assert.deepEqual(next.body, {
    data: [
      {
        object: "carrier",
        name: "second",
        type: "simulator",
        preset: null,
        poll_seconds: null,
        poll: null,
        callback_urls: { receipts: null, inbound: null },
        numbers: [SMPP_FROM],
        destinations: "*",
        priority: 20,
        state: "up",
        window: 5,
        window_total: 5,
        window_free: 5,
        rate: null,
        texts_per_second: 0,
        recent_texts: Array(60).fill(0),
        receipt_rate: null,
        unowned_inbound: NOTHING_UNOWNED,
        unowned_receipts: NOTHING_UNOWNED,
        last_error: null,
        binds: [],
      },
    ],
    has_more: false,
    next_cursor: null,
    numbers_without_carrier: [],
  });
});

test("the binds of a link are shown with their owner, and why one went down", async (t) => {
  const smsc = await Smsc.start({ password: "secret" });
  const entry = smppEntry(smsc, { binds: 2, window: 7, rate: 40 });
  const kit = await startKit(t, { LONGWAVE_CARRIERS: await carriersFile(t, [entry]) });
  const link = async () => (await kit.operator("GET", "/carriers")).body.data[0];
  await until(async () => {
    const { binds } = await link();
    return binds.length === 2 && binds.every((bind: { state: string }) => bind.state === "up");
  });
  const { binds, ...shown } = await link();
  assert.deepEqual(shown, {
    object: "carrier",
    name: "wire",
    type: "smpp",
    preset: null,
    poll_seconds: null,
    poll: null,
    callback_urls: { receipts: null, inbound: null },
    numbers: "*",
    destinations: "*",
    priority: 10,
    state: "up",
    window: 7,
    window_total: 14,
    window_free: 14,
    rate: 40,
    texts_per_second: 0,
    recent_texts: Array(60).fill(0),
    receipt_rate: null,
    unowned_inbound: NOTHING_UNOWNED,
    unowned_receipts: NOTHING_UNOWNED,
    last_error: null,
  });
  for (const bind of binds) {
    assert.ok(bind.owner.endsWith(`:${process.pid}`), bind.owner);
    assert.ok(Date.parse(bind.since) > Date.now() - 60_000);
    assert.equal(bind.in_flight, 0);
  }
  const metrics = (await kit.request("GET", "/metrics", { key: null })).body;
  assert.match(metrics, /longwave_carrier_binds\{carrier="wire",state="up"\} 2/);
  await smsc.stop();
  await until(async () => (await link()).state !== "up");
  assert.match((await link()).last_error, /127\.0\.0\.1/);
  const { window_total, window_free } = await link();
  assert.deepEqual([window_total, window_free], [14, 0], "no bind, no window slot");
  // The owner reports the next attempt; the backoff grows with each failure.
  const isTriedAfter = async (ms: number) =>
    (await link()).binds.some(
      (bind: { next_try_at: string | null }) => Date.parse(bind.next_try_at ?? "") > ms,
    );
  await until(() => isTriedAfter(Date.now()));
  // `next_try_at` follows the test clock.
  await kit.advance(3_600);
  await until(() => isTriedAfter(kit.deps.clock.now()));
  for (const { since } of (await link()).binds) {
    const agoMs = kit.deps.clock.now() - Date.parse(since);
    assert.ok(agoMs >= 0 && agoMs < 60_000, `down for ${agoMs} ms`);
  }
});

test("messages over a link are counted, and so is the share of receipts that arrived", async (t) => {
  const { kit, send } = await startSmppStage(t);
  const link = async () => (await kit.operator("GET", "/carriers")).body.data[0];
  assert.equal((await link()).receipt_rate, null, "nothing was asked for");
  await send("+14155552671");
  await send("+14155552672", "long ".repeat(50));
  // The peer never sends a receipt for this number.
  await send("+15005559007");
  await send("+15005559007");
  let fastest = 0;
  await until(async () => {
    const { recent_texts, texts_per_second } = await link();
    fastest = Math.max(fastest, texts_per_second);
    return recent_texts.reduce((sum: number, count: number) => sum + count, 0) === 4;
  });
  assert.ok(fastest > 0, "they were of the last seconds when they were first seen");
  await until(async () => (await link()).receipt_rate === 3 / 5);
  assert.equal((await link()).recent_texts.length, 60);
  await kit.rows("update carrier_traffic set at = at - interval '2 hours'");
  const { recent_texts: none, receipt_rate } = await link();
  assert.deepEqual([Math.max(...none), receipt_rate], [0, null], "an hour is kept");
});

test("a live number without a carrier, or without a link, is reported and leaves the service ready", async (t) => {
  const smsc = await Smsc.start({ password: "secret" });
  t.after(() => smsc.stop());
  const file = await carriersFile(t, [smppEntry(smsc, { numbers: [SMPP_FROM] })]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  assert.deepEqual(await ready(kit), {
    status: 200,
    ready: true,
    carriers: {
      ok: true,
      links: { wire: "up" },
      numbers_without_carrier: [],
      numbers_without_link: [],
    },
  });
  await giveNumber(kit, { phone: "+14155550177", mode: "live", senderState: "active" });
  await giveNumber(kit, { phone: SMPP_FROM, mode: "live", senderState: "active" });
  const unserved = async () =>
    (await kit.operator("GET", "/carriers")).body.numbers_without_carrier;
  assert.deepEqual(await unserved(), [], "its account has no live access");
  await goLive(kit);
  assert.deepEqual(await unserved(), ["+14155550177"]);
  await until(async () => (await ready(kit)).carriers.ok === false);
  const { carriers, ...rest } = await ready(kit);
  assert.deepEqual(rest, { status: 200, ready: true });
  assert.deepEqual(carriers.numbers_without_carrier, ["+14155550177"]);
  assert.deepEqual(carriers.numbers_without_link, []);

  const answer = await kit.request("POST", "/v1/messages", {
    key: kit.liveKey,
    body: { to: "+14155552671", from: "+14155550177", body: "Hello" },
  });
  assert.equal(answer.status, 202);
  assert.ok(Date.parse(answer.body.next_attempt_at) > kit.deps.clock.now());
  const timeline = await kit.request("GET", `/v1/messages/${answer.body.id}/timeline`);
  assert.match(JSON.stringify(timeline.body), /No carrier serves \+14155550177/);

  await smsc.stop();
  await until(async () => (await ready(kit)).carriers.numbers_without_link.length > 0);
  assert.deepEqual((await ready(kit)).carriers.numbers_without_link, [SMPP_FROM]);
});

test("a reload leaves unchanged links alone, unbinds removed ones, and a bad file changes nothing", async (t) => {
  const smsc = await Smsc.start({ password: "secret" });
  t.after(() => smsc.stop());
  const kept = smppEntry(smsc, { name: "kept", system_id: "kept" });
  const gone = smppEntry(smsc, { name: "gone", system_id: "gone", priority: 20 });
  const file = await carriersFile(t, [kept, gone]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  await until(() => smsc.connections("kept").length + smsc.connections("gone").length === 2);
  const [line] = smsc.connections("kept");
  const reload = () => kit.operator("POST", "/carriers/reload");
  const names = async () =>
    (await kit.operator("GET", "/carriers")).body.data.map((link: { name: string }) => link.name);

  await writeCarriers(file, [kept, { ...gone, bind: "both" }]);
  const refused = await reload();
  assertRefused(refused, 400, "invalid_request", "carriers[1].bind");
  assert.match(
    refused.body.error.message,
    /takes "transceiver" or "tx_rx"\. Nothing was changed\./,
  );
  await writeFile(file, "{");
  assertRefused(await reload(), 400, "invalid_request", "carriers");
  assert.deepEqual(await names(), ["kept", "gone"]);
  assert.equal(smsc.connections("gone").length, 1);

  const added = smppEntry(smsc, { name: "added", system_id: "added", priority: 5 });
  await writeCarriers(file, [kept, added]);
  const { status, body } = await reload();
  assert.equal(status, 200);
  assert.deepEqual(body, {
    object: "carrier_reload",
    added: ["added"],
    changed: [],
    removed: ["gone"],
    unchanged: ["kept"],
  });
  assert.deepEqual(await names(), ["added", "kept"]);
  await until(() => smsc.connections("added").length === 1);
  assert.equal(smsc.connections("gone").length, 0);
  assert.equal(smsc.connections("kept")[0], line, "the same connection");

  await writeCarriers(file, [{ ...kept, window: 3 }, added]);
  assert.deepEqual((await reload()).body.changed, ["kept"]);
  await until(() => smsc.connections("kept").length === 1);
  assert.notEqual(smsc.connections("kept")[0], line);
});

test("readiness shows anonymous clients names and ok alone, and this machine the details", async (t) => {
  const file = await carriersFile(t, [
    { name: "secret-carrier", type: "simulator", numbers: [SMPP_FROM] },
  ]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file });
  await goLive(kit, 1);
  await giveNumber(kit, { phone: "+14155550177", mode: "live", senderState: "active" });
  const here = await kit.request("GET", "/readyz", { key: null });
  assert.match(JSON.stringify(here.body), /secret-carrier.*\+14155550177/);
  const headers = { "x-forwarded-for": "203.0.113.9" };
  const stranger = await kit.request("GET", "/readyz", { key: null, headers });
  assert.equal(stranger.status, here.status);
  assert.equal(stranger.body.ready, here.body.ready);
  assert.deepEqual(Object.keys(stranger.body.checks), Object.keys(here.body.checks));
  for (const check of Object.values(stranger.body.checks)) {
    assert.deepEqual(Object.keys(check as object), ["ok"]);
  }
});

test("a preset's carrier shows its callback URLs, and a file that is not JSON where it breaks", async (t) => {
  const { file, urlOf } = await startDouble(t, "46elks", [{ name: "elks" }]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL });
  const { body } = await kit.operator("GET", "/carriers");
  const [shown] = body.data;
  assert.deepEqual([shown.type, shown.preset], ["http", "46elks"]);
  assert.deepEqual(shown.callback_urls, {
    receipts: urlOf("elks", "receipts"),
    inbound: urlOf("elks", "inbound"),
  });
  assert.match(
    shown.callback_urls.inbound,
    /^https:\/\/us\.example\/callbacks\/elks\/inbound\/[0-9a-f]{32}$/,
  );
  await writeFile(file, '{\n  "carriers": [\n    { "name": "elks", }\n  ]\n}');
  const { status, body: refused } = await kit.operator("POST", "/carriers/reload");
  assert.equal(status, 400);
  assert.match(refused.error.message, /carriers\.json: is not JSON at line 3, column 23: /);
});
