import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import {
  eventsOf,
  OURS,
  PERSON,
  replies,
  shareInstallation,
  text,
  typesOf,
} from "../../../testing/inbound-stage.ts";
import type { Kit } from "../../../testing/kit.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { defaultReply } from "../../people/consent/reply-copy.ts";

const freshAccount = shareInstallation();

async function customerWithNumber(kit: Kit, name: string, phone: string): Promise<string> {
  const customer = await kit.request("POST", "/v1/customers", { body: { name } });
  assert.equal(customer.status, 201);
  const [row] = await kit.rows("select id from customers where name = $1 and account_id = $2", [
    name,
    kit.account.id,
  ]);
  await giveNumber(kit, { phone, customerId: row.id });
  return customer.body.id;
}

test("an ordinary message is stored, emits an event and gets no reply", async () => {
  const kit = await freshAccount();
  const answer = await text(kit, "Hello, are you open on Sunday?", { from: "(415) 555-2671" });
  assert.equal(answer.status, 201);
  const { id, created_at, ...message } = answer.body;
  assert.match(id, /^msg_/);
  assert.ok(created_at);
  assert.deepEqual(message, {
    object: "message",
    status: "received",
    direction: "inbound",
    from: PERSON,
    to: OURS,
    body: "Hello, are you open on Sunday?",
    segments: 1,
    encoding: "gsm7",
    smart_encoded: false,
    price: 0,
    simulated: true,
    auto_reply: false,
    customer_id: null,
    pool_id: null,
    batch_id: null,
    schedule_id: null,
    metadata: {},
    scheduled_message_id: null,
    next_attempt_at: null,
    valid_for: null,
    failure: null,
    carrier: null,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
  });
  assert.deepEqual(await eventsOf(kit), [
    {
      type: "message.received",
      data: {
        message_id: id,
        from: PERSON,
        to: OURS,
        body: "Hello, are you open on Sunday?",
      },
    },
  ]);
  assert.deepEqual(
    await kit.rows("select 1 from consent_ledger where account_id = $1", [kit.account.id]),
    [],
  );
  const listed = await kit.request("GET", "/v1/messages?direction=inbound");
  assert.equal(listed.body.data[0].id, id);
});

test("STOP opts out once, with one event and one free reply; a second STOP gets none", async () => {
  const kit = await freshAccount();
  const first = await text(kit, "STOP");
  assert.deepEqual(await typesOf(kit), ["message.received", "message.opted_out", "message.sent"]);
  const [, optedOut] = await eventsOf(kit);
  assert.deepEqual(optedOut?.data, {
    message_id: first.body.id,
    from: PERSON,
    to: OURS,
    keyword: "STOP",
  });
  await text(kit, " stop! ");
  await kit.advance(5);
  const [reply, ...others] = await kit
    .request("GET", "/v1/messages?direction=outbound")
    .then((answer) => answer.body.data);
  assert.deepEqual(others, []);
  assert.equal(reply.auto_reply, true);
  assert.equal(reply.status, "delivered");
  assert.equal(reply.price, 0);
  assert.equal(reply.from, OURS);
  assert.equal(reply.to, PERSON);
  assert.equal(reply.body, defaultReply("opt_out", kit.account.name));
  const consent = await kit.request("GET", `/v1/consent/${PERSON}`);
  assert.equal(consent.body.status, "opted_out");
  assert.equal(consent.body.source, "inbound_text");
  assert.equal(consent.body.match, "keyword");
  assert.equal(consent.body.history.length, 1);
  assert.equal(consent.body.history[0].message_id, first.body.id);
  assert.equal(consent.body.history[0].texted_number, OURS);

  const refused = await kit.request("POST", "/v1/messages", {
    body: { to: PERSON, from: OURS, body: "Hi" },
  });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.error.code, "recipient_opted_out");
});

test("START, UNSTOP and YES lift an opt-out; otherwise YES is an ordinary message", async () => {
  const kit = await freshAccount();
  await text(kit, "YES");
  assert.deepEqual(await typesOf(kit), ["message.received"]);
  await text(kit, "STOP");
  await text(kit, "yes");
  const back = await kit.request("GET", `/v1/consent/${PERSON}`);
  assert.equal(back.body.status, "opted_in");
  assert.equal(back.body.history.at(-1).keyword, "YES");
  await text(kit, "Yes please");
  await text(kit, "START");
  assert.equal((await replies(kit)).length, 2);
  const sent = await kit.request("POST", "/v1/messages", {
    body: { to: PERSON, from: OURS, body: "Hi" },
  });
  assert.equal(sent.status, 201);
});

test("START without a previous opt-out records an opt-in: one event, one reply", async () => {
  const kit = await freshAccount();
  await text(kit, "Start");
  await text(kit, "START");
  const types = await typesOf(kit);
  assert.deepEqual(types, [
    "message.received",
    "message.opted_in",
    "message.sent",
    "message.received",
  ]);
  const [reply] = await replies(kit);
  assert.equal(reply?.body, defaultReply("opt_in", kit.account.name));
  assert.equal((await kit.request("GET", `/v1/consent/${PERSON}`)).body.status, "opted_in");
});

test("HELP gets a reply each time, and once an hour after an opt-out", async () => {
  const kit = await freshAccount();
  // Ten seconds of slack for a busy machine.
  kit.stopClock();
  await giveNumber(kit, { phone: "+15005550101" });
  await text(kit, "HELP");
  await text(kit, "info");
  await text(kit, "help", { to: "+15005550101" });
  await text(kit, "help", { from: "+14155552672" });
  assert.equal((await replies(kit)).length, 4);
  await text(kit, "STOP");
  await kit.advance(3_590);
  await text(kit, "help");
  assert.equal((await replies(kit)).length, 5);
  await kit.advance(11);
  await text(kit, "help");
  const all = await replies(kit);
  assert.equal(all.length, 6);
  assert.equal(all.at(-1)?.body, defaultReply("help", kit.account.name));
  assert.equal((await kit.request("GET", `/v1/consent/${PERSON}`)).body.status, "opted_out");
});

test("other opt-out phrases opt out, or are only flagged if the account says so", async () => {
  const kit = await freshAccount();
  await text(kit, "please stop texting me");
  const consent = await kit.request("GET", `/v1/consent/${PERSON}`);
  assert.equal(consent.body.status, "opted_out");
  assert.equal(consent.body.match, "phrase");
  assert.equal((await replies(kit)).length, 1);

  const flag = { body: { phrase_opt_out: "flag" } };
  assert.equal((await kit.request("PATCH", "/v1/account", flag)).status, 200);
  const other = "+14155552673";
  const flagged = await text(kit, "take me off your list", { from: other });
  const read = await kit.request("GET", `/v1/consent/${other}`);
  assert.equal(read.body.status, "unknown");
  assert.equal(read.body.history[0].status, "flagged");
  assert.equal(read.body.history[0].match, "phrase");
  assert.equal(read.body.history[0].message_id, flagged.body.id);
  assert.equal((await replies(kit)).length, 1);
  assert.equal((await kit.request("GET", `/v1/consent?phone_number=${other}`)).body.data.length, 0);
  // Keywords opt out regardless of the account's setting for phrases.
  await text(kit, "STOP", { from: other });
  assert.equal((await kit.request("GET", `/v1/consent/${other}`)).body.status, "opted_out");
  await text(kit, "remove me", { from: other });
  assert.equal((await kit.request("GET", `/v1/consent/${other}`)).body.history.length, 2);
});

test("HTTP agrees with the matcher on a sample of the published suite", async () => {
  const kit = await freshAccount();
  const file = new URL("../../../../contract/fixtures/opt-out.json", import.meta.url);
  const rows = JSON.parse(await readFile(file, "utf8")) as {
    text: string;
    expect: "opt_out" | "opt_in" | "help" | null;
    match: string | null;
    opted_out?: boolean;
  }[];
  const usable = rows.filter((row) => row.text.trim() !== "" && !row.opted_out);
  const step = Math.floor(usable.length / 30);
  const sample = usable.filter((_, index) => index % step === 0);
  assert.ok(sample.some((row) => row.expect === null) && sample.some((row) => row.match));
  for (const [index, row] of sample.entries()) {
    const from = `+1415555${String(3000 + index)}`;
    assert.equal((await text(kit, row.text, { from })).status, 201, row.text);
    const consent = await kit.request("GET", `/v1/consent/${from}`);
    const expected = { opt_out: "opted_out", opt_in: "opted_in", help: undefined };
    const status = row.expect === null ? undefined : expected[row.expect];
    assert.equal(consent.body.status, status, row.text);
    if (status) assert.equal(consent.body.match, row.match, row.text);
  }
});

test("one customer's STOP does not stop another's messages; START lifts it for that customer", async () => {
  const kit = await freshAccount();
  const acme = await customerWithNumber(kit, "Acme", "+15005550101");
  const best = await customerWithNumber(kit, "Best", "+15005550102");
  const sends = async (from: string) =>
    (await kit.request("POST", "/v1/messages", { body: { to: PERSON, from, body: "Hi" } })).status;

  await text(kit, "STOP", { to: "+15005550101" });
  const events = await eventsOf(kit);
  assert.equal(events[1]?.data["customer_id"], acme);
  assert.deepEqual(
    [await sends("+15005550101"), await sends("+15005550102"), await sends(OURS)],
    [400, 201, 201],
  );
  await text(kit, "STOP");
  assert.deepEqual(
    [await sends("+15005550101"), await sends("+15005550102"), await sends(OURS)],
    [400, 400, 400],
  );
  // The account's opt-out already covers Best: recorded, without another event.
  const before = (await typesOf(kit)).length;
  await text(kit, "START", { to: "+15005550102" });
  assert.deepEqual(
    [await sends("+15005550101"), await sends("+15005550102"), await sends(OURS)],
    [400, 201, 400],
  );
  assert.deepEqual((await typesOf(kit)).slice(before, before + 3), [
    "message.received",
    "message.opted_in",
    "message.sent",
  ]);
  const list = await kit.request("GET", `/v1/consent?customer_id=${best}`);
  assert.equal(list.body.data[0].status, "opted_in");
  assert.equal(list.body.data[0].customer_id, best);
  const [reply] = (await replies(kit)).slice(-1);
  assert.equal(reply?.from_number, "+15005550102");
});

test("STOP to a customer under the account's opt-out outlives the account's opt-in", async () => {
  const kit = await freshAccount();
  await customerWithNumber(kit, "Acme", "+15005550101");
  await text(kit, "STOP");
  await text(kit, "STOP", { to: "+15005550101" });
  assert.equal((await replies(kit)).length, 1);
  await text(kit, "START");
  const refused = await kit.request("POST", "/v1/messages", {
    body: { to: PERSON, from: "+15005550101", body: "Hi" },
  });
  assert.equal(refused.body.error.code, "recipient_opted_out");
});

test("wrong scopes and invalid requests are refused", async () => {
  const kit = await freshAccount();
  await giveNumber(kit, { phone: "+14155550199", mode: "live" });
  await kit.operator("PATCH", `/accounts/${toApiId("account", kit.account.id)}`, {
    live_access: "granted",
  });
  const body = { from: PERSON, to: OURS, body: "Hi" };
  const send = (change: object, key = kit.testKey) =>
    kit.request("POST", "/v1/test/inbound", { key, body: { ...body, ...change } });
  const live = await send({}, kit.liveKey);
  assert.deepEqual([live.status, live.body.error.code], [403, "mode_mismatch"]);
  const liveNumber = await send({ to: "+14155550199" });
  assert.deepEqual([liveNumber.status, liveNumber.body.error.code], [403, "mode_mismatch"]);
  for (const [change, param] of [
    [{ to: "+15005550199" }, "to"],
    [{ to: "x" }, "to"],
    [{ from: "12345" }, "from"],
    [{ from: "+18765550100" }, "from"],
    [{ body: "" }, "body"],
    [{ body: " \n" }, "body"],
    [{ body: "x".repeat(1601) }, "body"],
    [{ media: [] }, "media"],
  ] as [object, string][]) {
    const refused = await send(change);
    assert.equal(refused.status, 400, JSON.stringify(change));
    assert.equal(refused.body.error.param, param);
  }
  assert.deepEqual(
    await kit.rows("select 1 from messages where account_id = $1", [kit.account.id]),
    [],
  );
});
