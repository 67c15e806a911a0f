import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { type FormReceiver, startFormReceiver } from "../../../testing/form-receiver.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { goLive, secondAccount } from "../../../testing/live.ts";
import { accepted, createTestCarrier } from "../../../testing/test-carrier.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { replyOverLimit } from "./reply-limits.ts";

const NUMBER = "+14155550100";
const ECHO_PHONE = "+15005550011";
const PERSON = "+15005550000";
const ENV = { LONGWAVE_TWILIO_API: "1", ...LOCAL_TARGETS };
const PAIR_MAX = 15;
const REPLY = "<Response><Message>Thanks!</Message></Response>";

async function answerWithTwiml(
  kit: Kit,
  receiver: FormReceiver,
  phoneNumber: string,
  key = kit.testKey,
): Promise<void> {
  receiver.answer("/twiml", 200, REPLY);
  const { incomingPhoneNumbers } = twilioClient(kit, { key }).client;
  const [number] = await incomingPhoneNumbers.list({ phoneNumber });
  await incomingPhoneNumbers(number?.sid ?? "").update({ smsUrl: receiver.url("/twiml") });
}

async function loopKit(t: TestContext): Promise<{ kit: Kit; receiver: FormReceiver }> {
  const kit = await startKit(t, ENV);
  kit.stopClock();
  const receiver = await startFormReceiver({ after: (down) => t.after(down) });
  await giveNumber(kit, { phone: NUMBER });
  await answerWithTwiml(kit, receiver, NUMBER);
  return { kit, receiver };
}

const textIn = (kit: Kit, from: string) =>
  kit.request("POST", "/v1/test/inbound", { body: { from, to: NUMBER, body: "hello" } });
const replies = (kit: Kit) =>
  kit.rows(
    "select status, failure_code from messages where body = 'Thanks!' and direction = 'outbound' order by id",
  );

test("a TwiML number and the echo phone exchange 15 replies in 30 seconds, then one failed message", async (t) => {
  const { kit } = await loopKit(t);
  const body = { to: ECHO_PHONE, from: NUMBER, body: "hello" };
  assert.equal((await kit.request("POST", "/v1/messages", { body })).status, 201);
  await kit.advance(120);
  const sent = await replies(kit);
  assert.equal(sent.length, PAIR_MAX + 1, `${sent.length} replies`);
  assert.deepEqual(sent.at(-1), { status: "failed", failure_code: "rate_limited" });
  assert.ok(sent.slice(0, -1).every((row) => row.status === "delivered"));
  const failed = (await kit.request("GET", "/v1/messages?status=failed")).body.data;
  assert.equal(failed[0].failure.code, "rate_limited");
  assert.equal(failed[0].price, 0);
  const events = (await kit.request("GET", "/v1/events?type=message.failed")).body.data;
  assert.equal(events[0].data.message_id, failed[0].id);

  assert.equal((await textIn(kit, PERSON)).status, 201);
  await kit.advance(1);
  assert.equal((await replies(kit)).at(-1)?.status, "delivered", "other phones are answered");
  assert.equal((await textIn(kit, ECHO_PHONE)).status, 201);
  await kit.advance(1);
  assert.ok((await replies(kit)).length > PAIR_MAX + 2, "and the pair again after 30 seconds");
});

test("a document with many messages leaves one failed message for all that are over the limit", async (t) => {
  const { kit, receiver } = await loopKit(t);
  const ten = "<Message>Thanks!</Message>".repeat(10);
  receiver.answer("/twiml", 200, `<Response>${ten}</Response>`);
  await textIn(kit, PERSON);
  await kit.advance(1);
  await textIn(kit, PERSON);
  await kit.advance(1);
  const sent = await replies(kit);
  assert.equal(sent.filter((row) => row.status === "delivered").length, PAIR_MAX);
  assert.equal(sent.filter((row) => row.status === "failed").length, 1);
});

test("live numbers of two accounts that answer each other stop after 15 replies in 30 seconds", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, ENV, { carriers: carrier });
  kit.stopClock();
  const other = await secondAccount(kit);
  const receiver = await startFormReceiver({ after: (down) => t.after(down) });
  const numbers = ["+12065550111", "+12065550122"] as const;
  for (const [index, account] of [kit, other].entries()) {
    await goLive(account);
    const phone = numbers[index] as string;
    await giveNumber(kit, { account: account.account, phone, mode: "live", senderState: "active" });
    await answerWithTwiml(account, receiver, phone, account.liveKey);
  }
  carrier.answers = [
    async ({ from, to, body, messageId: reference }) => {
      await carrier.sink().inbound({ carrier: "test-link", reference, from, to, body });
      return accepted();
    },
  ];
  const body = { to: numbers[1], from: numbers[0], body: "hello" };
  const first = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
  assert.equal(first.status, 201, JSON.stringify(first.body));
  for (let seconds = 0; seconds < 25; seconds += 1) await kit.advance(1);
  assert.equal(carrier.submitted.length, 1 + PAIR_MAX);
  assert.equal((await replies(kit)).filter((row) => row.status === "failed").length, 1);
});

test("processes share the limit of a pair, in both directions", async (t) => {
  const { kit } = await loopKit(t);
  const other = await startKitOn(t, kit.connection, ENV);
  const { account } = kit;
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const [from, to] = index % 3 === 0 ? [NUMBER, PERSON] : [PERSON, NUMBER];
      const { deps } = index % 2 === 0 ? kit : other;
      return replyOverLimit(deps, { account, mode: "live", from, to });
    }),
  );
  assert.equal(results.filter((failure) => failure === null).length, PAIR_MAX);
});

test("each reply takes a token of the account's rate limit", async (t) => {
  const kit = await startKit(t, { ...ENV, LONGWAVE_RATE_LIMIT: "5" });
  kit.stopBuckets();
  const { account, deps } = kit;
  const results: (string | null)[] = [];
  for (let index = 0; index < 13; index += 1) {
    const to = `+1415555200${index}`;
    results.push(await replyOverLimit(deps, { account, mode: "live", from: NUMBER, to }));
  }
  assert.deepEqual(results, [...Array(10).fill(null), ...Array(3).fill("rate_limited")]);
});

test("the sandbox answers 1,000 messages a UTC day by TwiML, live numbers are not counted", async (t) => {
  const { kit } = await loopKit(t);
  await textIn(kit, PERSON);
  await kit.advance(1);
  await kit.rows("update daily_sends set sends = 999 where kind = 'sandbox_reply'");
  for (let received = 0; received < 2; received += 1) {
    await textIn(kit, PERSON);
    await kit.advance(1);
  }
  const sent = await replies(kit);
  assert.deepEqual(
    sent.map((row) => row.failure_code),
    [null, null, "quota_exceeded"],
  );
  const live = { account: kit.account, mode: "live" as const, from: NUMBER, to: PERSON };
  assert.equal(await replyOverLimit(kit.deps, live), null);
  await kit.advance(86_400);
  await textIn(kit, PERSON);
  await kit.advance(1);
  assert.equal((await replies(kit)).at(-1)?.status, "delivered");
});

test("keyword replies between two machines stop by themselves", async (t) => {
  const { kit } = await loopKit(t);
  await kit.rows("update numbers set sms_url = null");
  for (const word of ["HELP", "START"]) {
    const body = { to: ECHO_PHONE, from: NUMBER, body: word };
    assert.equal((await kit.request("POST", "/v1/messages", { body })).status, 201);
  }
  await kit.advance(600);
  const [{ count }] = await kit.rows(
    "select count(*)::int as count from messages where auto_reply",
  );
  assert.ok(count <= 2, `${count} automatic replies`);
});
