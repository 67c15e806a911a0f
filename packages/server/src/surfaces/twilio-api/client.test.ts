/** Twilio's own client against this API: sends, lists, pages, schedules, verifies and looks up. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { toTwilioSid } from "@longwave/contract";
import { buy, goLive, secondAccount, stock } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";

const FROM = "+14155550100";
const HOUR_MS = 3_600_000;

interface Refused {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** Refusal of a call by the client. */
async function refusal(call: Promise<unknown>): Promise<Refused> {
  const error = (await call.then(
    () => assert.fail("it was not refused"),
    (one: unknown) => one,
  )) as Refused;
  assert.ok(error.message.length > 0);
  return error;
}

async function assertCode(call: Promise<unknown>, status: number, code: number): Promise<void> {
  const error = await refusal(call);
  assert.deepEqual([error.status, error.code], [status, code], error.message);
}

describe("Twilio's client", () => {
  const kit = suiteKit({ LONGWAVE_TWILIO_API: "1" });
  const here = () => twilioClient(kit()).client;
  before(async () => {
    await buy(kit(), FROM);
  });

  it("sends a message and reads it", async () => {
    const body = "Hello there";
    const sent = await here().messages.create({ to: "(500) 555-0000", from: FROM, body });
    assert.match(sent.sid, /^SM[0-9a-f]{32}$/);
    assert.deepEqual(
      [
        sent.status,
        sent.direction,
        sent.to,
        sent.from,
        sent.body,
        sent.numSegments,
        sent.errorCode,
      ],
      ["sent", "outbound-api", "+15005550000", FROM, body, "1", null],
    );
    assert.equal(sent.accountSid, toTwilioSid("account", kit().account.id));
    assert.ok(sent.dateCreated instanceof Date && !Number.isNaN(sent.dateCreated.getTime()));
    await kit().advance(1);
    const read = await here().messages(sent.sid).fetch();
    assert.deepEqual([read.sid, read.status], [sent.sid, "delivered"]);
    const [row] = await kit().rows("select id, status from messages where to_number = $1", [
      "+15005550000",
    ]);
    assert.equal(toTwilioSid("message", row.id), sent.sid);
    const ours = await kit().request("GET", `/v1/messages/${toApiId("message", row.id)}`);
    assert.equal(ours.body.status, "delivered");
    const events = await kit().rows(
      "select type from events where data ->> 'message_id' = $1 order by seq",
      [toApiId("message", row.id)],
    );
    assert.deepEqual(
      events.map((event) => event.type),
      ["message.sent", "message.delivered"],
    );
  });

  it("failures have Twilio's statuses and error codes", async () => {
    const outcomes: [to: string, first: string, then: string, code: number][] = [
      ["+15005550001", "sent", "undelivered", 30005],
      ["+15005550007", "sent", "undelivered", 30006],
      ["+15005550008", "sent", "undelivered", 30003],
      ["+15005550006", "sent", "undelivered", 30007],
      ["+15005550004", "failed", "failed", 30008],
      ["+15005550002", "queued", "queued", 0],
    ];
    for (const [to, first, then, code] of outcomes) {
      const sent = await here().messages.create({ to, from: FROM, body: "x" });
      assert.equal(sent.status, first, to);
      await kit().advance(1);
      const read = await here().messages(sent.sid).fetch();
      assert.deepEqual([read.status, read.errorCode ?? 0], [then, code], to);
    }
  });

  it("refusals have Twilio's error codes", async () => {
    const { messages } = here();
    const to = "+15005550000";
    await assertCode(messages.create({ to: "12", from: FROM, body: "x" }), 400, 21211);
    await assertCode(messages.create({ to: "+18765550100", from: FROM, body: "x" }), 400, 21211);
    await assertCode(messages.create({ to, from: FROM, body: "" }), 400, 21602);
    await assertCode(messages.create({ to, body: "x" }), 400, 21603);
    await assertCode(messages.create({ to: "", from: FROM, body: "x" }), 400, 21604);
    await assertCode(messages.create({ to, from: "+14155550199", body: "x" }), 400, 21606);
    const nobody = toTwilioSid("messaging_service", kit().account.id);
    await assertCode(messages.create({ to, messagingServiceSid: nobody, body: "x" }), 400, 21606);
    const badCallback = { to, from: FROM, body: "x", statusCallback: "http://10.0.0.1/x" };
    await assertCode(messages.create(badCallback), 400, 21609);
    await assertCode(messages.create({ to, from: FROM, body: "x".repeat(1_601) }), 400, 21617);
    await kit().request("POST", "/v1/consent", {
      body: { phone_number: "+15005550099", status: "opted_out", source: "call" },
    });
    await assertCode(messages.create({ to: "+15005550099", from: FROM, body: "x" }), 400, 21610);
    await assertCode(messages(toTwilioSid("message", kit().account.id)).fetch(), 404, 20404);
    await assertCode(messages("SMx").fetch(), 404, 20404);
    const media = { to, from: FROM, body: "x", mediaUrl: ["https://example.com/a.png"] };
    await assertCode(messages.create(media), 501, 20501);
    await assertCode(messages.create({ to, from: FROM, contentSid: "HX1" }), 501, 20501);
    await assertCode(messages.create({ to, from: FROM, body: "x", validityPeriod: 5 }), 400, 20001);
  });

  it("authenticates by the account's id or any account sid, and a key", async () => {
    const anySid = `AC${"0123456789abcdef".repeat(2)}`;
    const alias = twilioClient(kit(), { sid: anySid }).client;
    const sent = await alias.messages.create({ to: "+15005550000", from: FROM, body: "alias" });
    assert.equal((await alias.messages(sent.sid).fetch()).sid, sent.sid);
    const wrong = twilioClient(kit(), { key: `${kit().testKey}x` }).client;
    await assertCode(wrong.messages.list({ limit: 1 }), 401, 20003);
    const basic = (user: string) => ({
      authorization: `Basic ${Buffer.from(`${user}:${kit().testKey}`).toString("base64")}`,
    });
    const own = toApiId("account", kit().account.id);
    const at = (account: string, headers: Record<string, string>) =>
      fetch(`${kit().url}/2010-04-01/Accounts/${account}/Messages.json?PageSize=1`, { headers });
    assert.equal((await at(own, basic(own))).status, 200);
    const other = await secondAccount(kit());
    const theirs = toApiId("account", other.account.id);
    assert.equal((await at(own, basic(theirs))).status, 401);
    assert.equal((await at(theirs, basic(own))).status, 404);
    const bare = await at(own, {});
    assert.equal(bare.status, 401);
    assert.match(bare.headers.get("www-authenticate") ?? "", /^Basic/);
    assert.deepEqual(((await bare.json()) as { code: number }).code, 20003);
  });

  it("enforces scopes", async () => {
    const path = `/accounts/${toApiId("account", kit().account.id)}/keys`;
    const made = await kit().operator("POST", path, { mode: "test", scopes: ["messages:read"] });
    const reader = twilioClient(kit(), { key: made.body.key }).client;
    await reader.messages.list({ limit: 1 });
    const text = { to: "+15005550000", from: FROM, body: "x" };
    await assertCode(reader.messages.create(text), 403, 20403);
    await assertCode(reader.lookups.v2.phoneNumbers("+15005550000").fetch(), 403, 20403);
  });

  it("sends a message once per idempotency token", async () => {
    const { client, httpClient } = twilioClient(kit());
    httpClient.more["I-Twilio-Idempotency-Token"] = "order-1";
    const text = { to: "+15005550000", from: FROM, body: "once" };
    const first = await client.messages.create(text);
    const again = await client.messages.create(text);
    assert.equal(again.sid, first.sid);
    const other = client.messages.create({ ...text, body: "twice" });
    await assertCode(other, 409, 20409);
    const rows = await kit().rows("select 1 from messages where body = $1", ["once"]);
    assert.equal(rows.length, 1);
  });

  it("lists long pages completely and continues after them", async () => {
    const text = { body: { to: "+15005550000", from: FROM, body: "one of many" } };
    const send = () => kit().request("POST", "/v1/messages", text);
    await Promise.all(Array.from({ length: 250 }, send));
    const rows = await kit().rows("select id from messages order by id desc", []);
    const expected = rows.map((row) => toTwilioSid("message", row.id));
    for (const pageSize of [1_000, 120]) {
      const listed = await here().messages.list({ pageSize });
      assert.ok(listed.length >= 250 && listed.every(({ sid }, at) => sid === expected[at]));
    }
  });

  it("lists with filters, page by page", async () => {
    const to = "+15005550005";
    const other = await secondAccount(kit());
    await buy(other, FROM);
    const client = twilioClient(other).client;
    const sids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      sids.unshift((await client.messages.create({ to, from: FROM, body: `n${index}` })).sid);
    }
    const later = new Date(kit().deps.clock.now() + HOUR_MS);
    const scheduled = await client.messages.create({
      ...{ to, from: FROM, body: "later" },
      ...{ scheduleType: "fixed" as const, sendAt: later },
    });
    const all = await client.messages.list({ to, pageSize: 2 });
    assert.deepEqual(
      all.map((one) => one.sid),
      [scheduled.sid, ...sids],
    );
    const three = await client.messages.list({ to, pageSize: 2, limit: 3 });
    assert.equal(three.length, 3);
    const first = await client.messages.page({ to, pageSize: 4 });
    assert.equal(first.instances.length, 4);
    const second = await first.nextPage();
    assert.deepEqual(
      second?.instances.map((one) => one.sid),
      sids.slice(3),
    );
    assert.equal(second?.nextPageUrl, undefined);
    assert.deepEqual(await client.messages.list({ to: "+15005550000" }), []);
    const today = new Date(kit().deps.clock.now());
    const byDay = await client.messages.list({ to, dateSent: today });
    assert.equal(byDay.length, 5);
    const before = await client.messages.list({ dateSentBefore: new Date(0) });
    assert.deepEqual(before, []);
    const after = await client.messages.list({
      dateSentAfter: new Date(today.getTime() - HOUR_MS),
    });
    assert.equal(after.length, 5);
    await assertCode(client.messages.list({ to: "nobody" }), 400, 20001);
  });

  it("schedules, cancels, and keeps the sid when the message is sent", async () => {
    const { messages } = here();
    const at = (ms: number) => new Date(kit().deps.clock.now() + ms);
    const fields = { to: "+15005550000", from: FROM, body: "x", scheduleType: "fixed" as const };
    const kept = await messages.create({ ...fields, sendAt: at(HOUR_MS) });
    assert.deepEqual([kept.status, kept.dateSent], ["scheduled", null]);
    const canceled = await messages.create({ ...fields, sendAt: at(HOUR_MS) });
    assert.equal((await messages(canceled.sid).update({ status: "canceled" })).status, "canceled");
    assert.equal((await messages(canceled.sid).update({ status: "canceled" })).status, "canceled");
    assert.equal((await messages(canceled.sid).fetch()).status, "canceled");
    await kit().advance(HOUR_MS / 1_000 + 1);
    const sent = await messages(kept.sid).fetch();
    assert.deepEqual([sent.sid, sent.status], [kept.sid, "delivered"]);
    const listed = await messages.list({ limit: 5 });
    assert.ok(listed.some((one) => one.sid === kept.sid && one.status === "delivered"));
    await assertCode(messages(kept.sid).update({ status: "canceled" }), 409, 30409);
    const now = await messages.create({ to: "+15005550000", from: FROM, body: "now" });
    await assertCode(messages(now.sid).update({ status: "canceled" }), 409, 30409);
    await assertCode(messages(now.sid).update({ body: "" }), 501, 20501);
    await assertCode(messages(now.sid).remove(), 501, 20501);
    const day = 86_400_000;
    await assertCode(messages.create({ ...fields, sendAt: at(31 * day) }), 400, 35114);
    await assertCode(messages.create({ ...fields, sendAt: at(-day) }), 400, 35114);
    await assertCode(messages.create(fields), 400, 35114);
  });

  it("sends from a pool as from a messaging service, with a validity period", async () => {
    const pool = await kit().request("POST", "/v1/pools", { body: { name: "P", numbers: [FROM] } });
    const uuid = fromApiId("pool", pool.body.id) ?? "";
    const messagingServiceSid = toTwilioSid("messaging_service", uuid);
    const { messages } = here();
    const sent = await messages.create({
      ...{ to: "+15005550000", messagingServiceSid, body: "pool" },
      validityPeriod: 120,
    });
    assert.deepEqual([sent.from, sent.messagingServiceSid], [FROM, messagingServiceSid]);
    const [row] = await kit().rows(
      "select extract(epoch from expires_at - created_at)::int as seconds from messages where body = 'pool'",
    );
    assert.equal(row.seconds, 120);
  });

  it("verifies a phone", async () => {
    const service = here().verify.v2.services(toTwilioSid("verify_service", kit().account.id));
    const to = "+15005550000";
    const started = await service.verifications.create({ to, channel: "sms" });
    assert.match(started.sid, /^VE[0-9a-f]{32}$/);
    assert.deepEqual(
      [started.status, started.to, started.valid, started.serviceSid],
      ["pending", to, false, toTwilioSid("verify_service", kit().account.id)],
    );
    assert.equal((await service.verifications(started.sid).fetch()).status, "pending");
    assert.equal((await service.verifications(to).fetch()).sid, started.sid);
    const again = await kit().api.verify.start({ phone: to });
    const code = again.test_code ?? "";
    const wrong = code === "000000" ? "111111" : "000000";
    const checked = await service.verificationChecks.create({ to, code: wrong });
    assert.deepEqual([checked.status, checked.valid, checked.sid], ["pending", false, started.sid]);
    const right = await service.verificationChecks.create({ verificationSid: started.sid, code });
    assert.deepEqual([right.status, right.valid, right.sid], ["approved", true, started.sid]);
    await assertCode(service.verificationChecks.create({ to, code }), 404, 20404);
    const read = await service.verifications(started.sid).fetch();
    assert.deepEqual([read.status, read.valid], ["approved", true]);
  });

  it("five wrong codes, five sends, and what fraud protection blocks", async () => {
    const service = here().verify.v2.services(toTwilioSid("verify_service", kit().account.id));
    const to = "+15005550009";
    for (let sends = 0; sends < 5; sends += 1) {
      await service.verifications.create({ to, channel: "sms", customFriendlyName: "Acme" });
    }
    await assertCode(service.verifications.create({ to, channel: "sms" }), 429, 60203);
    const { test_code: code } = await kit().api.verify.get(
      toApiId(
        "verification",
        (await kit().rows("select id from verifications where phone = $1", [to]))[0].id,
      ),
    );
    const wrong = code === "000000" ? "111111" : "000000";
    for (let tries = 1; tries < 5; tries += 1) {
      const { status } = await service.verificationChecks.create({ to, code: wrong });
      assert.equal(status, "pending");
    }
    const fifth = await service.verificationChecks.create({ to, code: wrong });
    assert.deepEqual([fifth.status, fifth.valid], ["max_attempts_reached", false]);
    const blocked = service.verifications.create({ to: "+15005550020", channel: "sms" });
    await assertCode(blocked, 403, 60410);
    await assertCode(service.verifications.create({ to: "12", channel: "sms" }), 400, 60200);
    await assertCode(service.verifications.create({ to, channel: "call" }), 400, 60200);
    await assertCode(service.verificationChecks.create({ to, code: "x" }), 400, 60200);
    const elsewhere = here().verify.v2.services(`VA${"0".repeat(32)}`);
    await assertCode(elsewhere.verifications.create({ to, channel: "sms" }), 404, 20404);
  });

  it("looks a number up", async () => {
    const { phoneNumbers } = here().lookups.v2;
    const fields = "line_type_intelligence";
    const landline = await phoneNumbers("+15005550007").fetch({ fields });
    assert.deepEqual(
      [landline.valid, landline.phoneNumber, landline.countryCode, landline.validationErrors],
      [true, "+15005550007", "US", []],
    );
    assert.equal(landline.lineTypeIntelligence.type, "landline");
    const plain = await phoneNumbers("+14155550123").fetch();
    assert.deepEqual([plain.valid, plain.lineTypeIntelligence], [true, null]);
    const nonsense = await phoneNumbers("+1415").fetch();
    assert.deepEqual([nonsense.valid, nonsense.validationErrors], [false, ["NOT_A_NUMBER"]]);
    await assertCode(phoneNumbers("+14155550123").fetch({ fields: "sim_swap" }), 501, 20501);
  });

  it("lists and reads numbers, and sets their SmsUrl", async () => {
    const { incomingPhoneNumbers } = here();
    const [number] = await incomingPhoneNumbers.list({ phoneNumber: FROM });
    assert.ok(number);
    assert.deepEqual(
      [number.phoneNumber, number.capabilities.sms, number.smsUrl, number.smsMethod],
      [FROM, true, "", "POST"],
    );
    assert.equal((await incomingPhoneNumbers(number.sid).fetch()).phoneNumber, FROM);
    const smsUrl = "https://hooks.example.com/sms";
    const changed = await incomingPhoneNumbers(number.sid).update({ smsUrl, smsMethod: "GET" });
    assert.deepEqual([changed.smsUrl, changed.smsMethod], [smsUrl, "GET"]);
    const cleared = await incomingPhoneNumbers(number.sid).update({ smsUrl: "" });
    assert.deepEqual([cleared.smsUrl, cleared.smsMethod], ["", "GET"]);
    const entries = await kit().rows(
      "select changes from audit_log where action = 'number.updated' and target_id = $1 order by seq",
      [FROM],
    );
    assert.deepEqual(
      entries.map((entry) => entry.changes.sms_url),
      [
        { from: null, to: smsUrl },
        { from: smsUrl, to: null },
      ],
    );
    const bad = incomingPhoneNumbers(number.sid).update({ smsUrl: "ftp://x" });
    await assertCode(bad, 400, 20001);
    const voice = incomingPhoneNumbers(number.sid).update({ voiceUrl: "https://x.example.com" });
    await assertCode(voice, 501, 20501);
    await assertCode(incomingPhoneNumbers(`PN${"0".repeat(32)}`).fetch(), 404, 20404);
    await assertCode(incomingPhoneNumbers.create({ phoneNumber: FROM }), 501, 20501);
  });

  it("everything else is 501, after authentication", async () => {
    await assertCode(here().calls.list({ limit: 1 }), 501, 20501);
    await assertCode(here().api.v2010.accounts.list({ limit: 1 }), 501, 20501);
    await assertCode(here().verify.v2.services.create({ friendlyName: "x" }), 501, 20501);
    const bare = await fetch(`${kit().url}/2010-04-01/Accounts/x/Calls.json`);
    assert.equal(bare.status, 401);
    const ours = await fetch(`${kit().url}/v3/x`);
    assert.equal(ours.status, 404);
  });

  it("a live key is billed, and sends only from registered numbers", async () => {
    const phone = "+12065557711";
    await goLive(kit());
    await stock(kit(), phone);
    await buy(kit(), phone, { key: kit().liveKey });
    const live = twilioClient(kit(), { key: kit().liveKey }).client;
    const text = { to: "+14155550111", from: phone, body: "x" };
    await assertCode(live.messages.create(text), 403, 30034);
    await assertCode(live.messages.create({ ...text, from: FROM }), 400, 21606);
  });

  it("only full access sees the auth token", async () => {
    const { body } = await kit().request("GET", "/v1/account");
    assert.match(body.twilio_auth_token, /^[0-9a-f]{32}$/);
    const again = await kit().request("GET", "/v1/account", { key: kit().liveKey });
    assert.notEqual(again.body.twilio_auth_token, body.twilio_auth_token, "each mode has its own");
    const sid = toTwilioSid("account", kit().account.id);
    assert.deepEqual([body.twilio_account_sid, again.body.twilio_account_sid], [sid, sid]);
    const path = `/accounts/${toApiId("account", kit().account.id)}/keys`;
    const made = await kit().operator("POST", path, { mode: "test", scopes: ["messages:send"] });
    const scoped = await kit().request("GET", "/v1/account", { key: made.body.key });
    assert.equal(scoped.body.twilio_auth_token, null);
    assert.deepEqual((await kit().request("GET", "/v1/webhooks")).body.data, []);
  });
});
