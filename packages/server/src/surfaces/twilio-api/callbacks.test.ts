/** Callbacks, validated with Twilio's own library. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { toTwilioSid } from "@longwave/contract";
import twilio from "twilio";
import {
  type FormReceiver,
  type ReceivedForm,
  startFormReceiver,
} from "../../../testing/form-receiver.ts";
import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { buy } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";

const FROM = "+14155550100";
const PERSON = "+15005550000";

describe("callbacks", () => {
  const kit = suiteKit({ LONGWAVE_TWILIO_API: "1", ...LOCAL_TARGETS });
  const takeDowns: (() => Promise<void>)[] = [];
  let receiver: FormReceiver;
  let token = "";
  before(async () => {
    receiver = await startFormReceiver({ after: (takeDown) => void takeDowns.push(takeDown) });
    await buy(kit(), FROM);
    token = (await kit().request("GET", "/v1/account")).body.twilio_auth_token;
  });
  after(async () => {
    for (const takeDown of takeDowns) await takeDown();
  });

  /** Validates the signature with Twilio's library; a changed URL or parameter must fail. */
  function assertSigned({ method, url, headers, form }: ReceivedForm): void {
    const signature = String(headers["x-twilio-signature"]);
    const parameters = method === "GET" ? {} : form;
    assert.ok(twilio.validateRequest(token, signature, url, parameters));
    assert.ok(!twilio.validateRequest(token, signature, `${url}x`, parameters));
    assert.ok(!twilio.validateRequest(`${token}x`, signature, url, parameters));
  }

  async function textIn(body: string, from = PERSON): Promise<void> {
    const sent = { from, to: FROM, body };
    assert.equal((await kit().request("POST", "/v1/test/inbound", { body: sent })).status, 201);
    await kit().advance(1);
  }

  async function setUrl(smsUrl: string, smsMethod = "POST"): Promise<void> {
    const { incomingPhoneNumbers } = twilioClient(kit()).client;
    const [number] = await incomingPhoneNumbers.list({ phoneNumber: FROM });
    await incomingPhoneNumbers(number?.sid ?? "").update({ smsUrl, smsMethod });
  }

  it("each status change of a message is sent to its StatusCallback, signed, once", async () => {
    const { messages } = twilioClient(kit()).client;
    const statusCallback = receiver.url("/status?order=1&x=%20y");
    const text = { from: FROM, body: "Hi", statusCallback };
    const good = await messages.create({ to: PERSON, ...text });
    await kit().advance(1);
    const callbacks = receiver.at("/status");
    assert.deepEqual(callbacks.map((one) => one.form["MessageStatus"]).sort(), [
      "delivered",
      "sent",
    ]);
    for (const one of callbacks) {
      assertSigned(one);
      assert.deepEqual(
        { ...one.form, MessageStatus: "", SmsStatus: "" },
        {
          AccountSid: toTwilioSid("account", kit().account.id),
          ApiVersion: "2010-04-01",
          From: FROM,
          MessageSid: good.sid,
          SmsSid: good.sid,
          To: PERSON,
          MessageStatus: "",
          SmsStatus: "",
        },
      );
      assert.equal(one.headers["content-type"], "application/x-www-form-urlencoded");
    }
    const of = (sid: string) =>
      receiver.at("/status").filter((one) => one.form["MessageSid"] === sid);
    const bad = await messages.create({ to: "+15005550006", ...text });
    const refused = await messages.create({ to: "+15005550004", ...text });
    assert.equal(refused.status, "failed");
    await kit().advance(1);
    const filtered = of(bad.sid).find((one) => one.form["MessageStatus"] === "undelivered");
    assert.equal(filtered?.form["ErrorCode"], "30007");
    assert.deepEqual(
      of(refused.sid).map((one) => [one.form["MessageStatus"], one.form["ErrorCode"]]),
      [["failed", "30008"]],
    );
  });

  it("a message without a StatusCallback causes no callback and leaves no rows", async () => {
    const before = receiver.at("/status").length;
    const body = { to: PERSON, from: FROM, body: "quiet" };
    await kit().request("POST", "/v1/messages", { body });
    await kit().advance(1);
    assert.equal(receiver.at("/status").length, before);
    assert.deepEqual(await kit().rows("select * from webhook_jobs"), []);
  });

  it("callbacks of a scheduled message use the sid of its creation", async () => {
    const { messages } = twilioClient(kit()).client;
    const sendAt = new Date(kit().deps.clock.now() + 3_600_000);
    const later = await messages.create({
      ...{ to: PERSON, from: FROM, body: "later", statusCallback: receiver.url("/later") },
      ...{ scheduleType: "fixed" as const, sendAt },
    });
    await kit().advance(3_601);
    const callbacks = receiver.at("/later");
    assert.deepEqual(callbacks.map((one) => one.form["MessageStatus"]).sort(), [
      "delivered",
      "sent",
    ]);
    assert.deepEqual(new Set(callbacks.map((one) => one.form["MessageSid"])), new Set([later.sid]));
  });

  it("failed callbacks are retried like webhooks, and the attempts are logged", async () => {
    const { messages } = twilioClient(kit()).client;
    receiver.answer("/down", 503);
    const statusCallback = receiver.url("/down");
    await messages.create({ to: "+15005550005", from: FROM, body: "Hi", statusCallback });
    await kit().advance(1);
    assert.equal(receiver.at("/down").length, 1);
    await kit().advance(60);
    assert.equal(receiver.at("/down").length, 2);
    receiver.answer("/down", 200);
    await kit().advance(300);
    assert.equal(receiver.at("/down").length, 3);
    await kit().advance(86_400);
    assert.equal(receiver.at("/down").length, 3);
    for (const one of receiver.at("/down")) assertSigned(one);
    const tokens = receiver.at("/down").map((one) => one.headers["i-twilio-idempotency-token"]);
    assert.equal(new Set(tokens).size, 1, "one event, one token");
    const logged = await kit().rows(
      "select attempt, ok, status_code from webhook_deliveries where event_type = 'message.sent' and attempt > 1 order by id",
    );
    assert.deepEqual(
      logged.map((row) => [row.attempt, row.ok, row.status_code]),
      [
        [2, false, 503],
        [3, true, 200],
      ],
    );
  });

  it("an inbound message is sent to the number's SmsUrl, by POST and by GET", async () => {
    await setUrl(receiver.url("/sms?a=b"));
    await textIn("Grüße & more");
    const [posted] = receiver.at("/sms");
    assert.ok(posted);
    assertSigned(posted);
    assert.deepEqual(
      [posted.method, posted.form["Body"], posted.form["From"], posted.form["To"]],
      ["POST", "Grüße & more", PERSON, FROM],
    );
    assert.deepEqual([posted.form["NumMedia"], posted.form["SmsStatus"]], ["0", "received"]);
    assert.deepEqual(
      ["City", "State", "Zip", "Country"].map((name) => posted.form[`To${name}`]),
      ["SAN FRANCISCO", "CA", "", "US"],
    );
    assert.deepEqual([posted.form["FromCountry"], posted.form["FromState"]], ["US", ""]);
    assert.equal(posted.form["OptOutType"], undefined);
    const read = await twilioClient(kit())
      .client.messages(posted.form["MessageSid"] ?? "")
      .fetch();
    assert.deepEqual([read.direction, read.status], ["inbound", "received"]);
    await setUrl(receiver.url("/get"), "GET");
    await textIn("by GET");
    const [got] = receiver.at("/get");
    assert.ok(got);
    assertSigned(got);
    assert.deepEqual([got.method, got.form["Body"]], ["GET", "by GET"]);
    await setUrl("");
    await textIn("nobody listens");
    assert.equal(receiver.at("/get").length, 1);
  });

  it("a service's URL gets messages with the sid of the service, while the number is in no other", async () => {
    const pool = async (name: string) =>
      (await kit().request("POST", "/v1/pools", { body: { name, numbers: [FROM] } })).body;
    const { id, twilio_service_sid: sid } = await pool("Chat");
    const { services } = twilioClient(kit()).client.messaging.v1;
    await services(sid).update({ inboundRequestUrl: receiver.url("/service") });
    await textIn("by the service");
    const other = await pool("Other");
    await textIn("by either");
    for (const one of [id, other.id]) await kit().request("DELETE", `/v1/pools/${one}`);
    await textIn("by the number");
    const got = receiver.at("/service");
    for (const one of got) assertSigned(one);
    assert.deepEqual(
      got.map(({ form }) => [form["Body"], form["MessagingServiceSid"]]),
      [
        ["by the service", sid],
        ["by either", undefined],
        ["by the number", undefined],
      ],
    );
    await setUrl("");
  });

  it("TwiML replies are sent once each, however often the callback is repeated", async () => {
    const document =
      "<Response><Message>One</Message><Message><Body>Two</Body></Message></Response>";
    receiver.answer("/twiml", 200, document);
    await setUrl(receiver.url("/twiml"));
    await textIn("hello?");
    const answers = () =>
      kit().rows(
        "select from_number, to_number, body, status from messages where body in ('One', 'Two') order by id",
      );
    const sent = await answers();
    assert.deepEqual(
      sent.map((row) => [row.from_number, row.to_number, row.body, row.status]),
      [
        [FROM, PERSON, "One", "delivered"],
        [FROM, PERSON, "Two", "delivered"],
      ],
    );
    // Simulates a process that died after the endpoint's answer and before it stored the attempt: the
    // delivery is due again.
    await kit().rows(
      `insert into webhook_jobs (shard, account_id, endpoint_id, event_id, due_at)
       select e.shard, e.account_id, w.id, e.id, now() from events e
         join webhook_endpoints w on w.shard = e.shard and w.account_id = e.account_id and w.slot = 0
        where e.type = 'message.received' and e.data ->> 'body' = 'hello?'`,
    );
    await kit().advance(60);
    assert.equal(receiver.at("/twiml").length, 2);
    assert.equal((await answers()).length, 2);
  });

  it("a TwiML reply is an outbound-reply in lists and reads, and a sent message is not", async () => {
    const { messages } = twilioClient(kit()).client;
    const person = "+15005550034";
    receiver.answer("/reply", 200, "<Response><Message>Yours</Message></Response>");
    await setUrl(receiver.url("/reply"));
    await textIn("mine?", person);
    const sent = await messages.create({ to: person, from: FROM, body: "Ours" });
    assert.equal(sent.direction, "outbound-api");
    const listed = await messages.list({ to: person });
    const expected = [
      ["Ours", "outbound-api"],
      ["Yours", "outbound-reply"],
    ];
    assert.deepEqual(
      listed.map(({ body, direction }) => [body, direction]),
      expected,
    );
    const fetched = await Promise.all(listed.map(({ sid }) => messages(sid).fetch()));
    assert.deepEqual(
      fetched.map(({ body, direction }) => [body, direction]),
      expected,
    );
  });

  it("OptOutType is what the message did: keywords, requests in other words, and YES afterwards", async () => {
    await setUrl(receiver.url("/consent"));
    const types = async (person: string, bodies: readonly string[]) => {
      for (const body of bodies) await textIn(body, person);
      const of = receiver.at("/consent").filter(({ form }) => form["From"] === person);
      return of.map(({ form }) => form["OptOutType"]);
    };
    const asking = ["yes", "HELP", "please stop texting me", "Yes", "yes", "Unsubscribe", "START"];
    assert.deepEqual(await types("+15005550041", asking), [
      undefined,
      "HELP",
      "STOP",
      "START",
      undefined,
      "STOP",
      "START",
    ]);
    const flagging = (phrase_opt_out: string) =>
      kit().request("PATCH", "/v1/account", { body: { phrase_opt_out } });
    await flagging("flag");
    const flagged = ["please stop texting me", "STOP", "STOP"];
    assert.deepEqual(await types("+15005550042", flagged), [undefined, "STOP", "STOP"]);
    await flagging("opt_out");
    await setUrl("");
  });

  it("opted-out phones get no reply, and answers other than TwiML are ignored", async () => {
    receiver.answer("/stop", 200, "<Response><Message>Sorry to see you go</Message></Response>");
    await setUrl(receiver.url("/stop"));
    await textIn("STOP", "+15005550031");
    assert.equal(receiver.at("/stop").length, 1);
    assert.equal(receiver.at("/stop")[0]?.form["OptOutType"], "STOP");
    const sorry = "select 1 from messages where body like 'Sorry%'";
    assert.deepEqual(await kit().rows(sorry), []);
    receiver.answer("/stop", 200, "<html>Sorry, what?</html>");
    await textIn("what", "+15005550032");
    receiver.answer("/stop", 500, "<Response><Message>Sorry, broken</Message></Response>");
    await textIn("what", "+15005550033");
    assert.deepEqual(await kit().rows(sorry), []);
  });
});
