import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { giveNumber } from "../../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../../testing/kit.ts";
import { goLive } from "../../../../testing/live.ts";
import {
  AGGREGATOR_SECRET,
  type AggregatorBehaviour,
  aggregatorEntry,
  answer,
  type MockAggregator,
  startAggregator,
  taken,
} from "../../../../testing/mock-aggregator.ts";
import { carriersFile, writeCarriers } from "../../../../testing/smpp-stage.ts";
import { until } from "../../../../testing/until.ts";
import { createLog } from "../../../core/platform/log.ts";
import { callbackUrl } from "./callbacks.ts";

const FROM = "+14155550100";
const UNSIGNED_FROM = "+14155550101";
const FAULTY_FROM = "+14155550102";
const PRIVATE_FROM = "+14155550103";

/** Some carriers text the body of a callback answer to the sender. */
async function assertEmpty(response: Response, status: number): Promise<void> {
  assert.equal(response.status, status);
  assert.equal(await response.text(), "");
  assert.equal(response.headers.get("content-type"), null);
}

describe("HTTP carrier", () => {
  let kit: Kit;
  let aggregator: MockAggregator;
  let file: string;
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
  const lines: string[] = [];
  let phones = 0;

  const entries = () => [
    aggregatorEntry(aggregator, { numbers: [FROM], answer_seconds: 2 }),
    aggregatorEntry(aggregator, {
      name: "plain",
      numbers: [UNSIGNED_FROM],
      format: "form",
      body: { to: "{{to}}", text: "{{body}}", ref: "{{reference}}", dlr: "{{receipts_url}}" },
      callbacks: {
        secret: AGGREGATOR_SECRET,
        receipts: {
          list: "results",
          id: "messageId",
          status: "state",
          statuses: { "5": "delivered" },
        },
        inbound: {
          from: "msisdn",
          to: "to",
          body: "text",
          part: { reference: "ref", total: "of", number: "part" },
        },
      },
    }),
    aggregatorEntry(aggregator, { name: "faulty", numbers: [FAULTY_FROM] }),
    aggregatorEntry(aggregator, {
      name: "refused",
      numbers: [PRIVATE_FROM],
      url: "https://127.0.0.1:2775/",
      private_address: false,
    }),
  ];

  before(async () => {
    aggregator = await startAggregator(lifetime);
    file = await carriersFile(lifetime, entries());
    const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: "https://us.example" };
    const destination = { write: (line: string) => lines.push(line) };
    kit = await startKit(lifetime, env, { log: createLog({ level: "warn", destination }) });
    aggregator.server = kit.url;
    await goLive(kit, 100);
    for (const phone of [FROM, UNSIGNED_FROM, FAULTY_FROM, PRIVATE_FROM]) {
      await giveNumber(kit, { phone, mode: "live", senderState: "active" });
    }
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });

  const link = async (name: string) => {
    const { body } = await kit.operator("GET", "/carriers");
    return body.data.find((one: { name: string }) => one.name === name);
  };
  const sendVia = (from: string, body = "Hello") => {
    phones += 1;
    const to = `+1415555${7_000 + phones}`;
    return kit.request("POST", "/v1/messages", { key: kit.liveKey, body: { to, from, body } });
  };
  const send = (behave: AggregatorBehaviour, body?: string) => {
    aggregator.behave = behave;
    return sendVia(FROM, body);
  };
  const read = async (id: string) => (await kit.request("GET", `/v1/messages/${id}`)).body;

  it("posts the request of the carriers file once", async () => {
    const before = aggregator.asked.length;
    const sent = await send(taken, 'Say "hi" to {{to}} 😀');
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    assert.equal(sent.body.carrier, "aggregator");
    const [asked, ...more] = aggregator.asked.slice(before);
    assert.equal(more.length, 0);
    assert.equal(asked?.headers.authorization, "Bearer key-of-ours");
    assert.deepEqual(
      { ...asked?.body, client_ref: "" },
      { from: FROM, to: sent.body.to, text: 'Say "hi" to {{to}} 😀', client_ref: "" },
    );
    assert.match(asked?.body.client_ref, /^[0-9a-f]{32}-1$/);
    const shown = await link("aggregator");
    assert.deepEqual([shown.type, shown.state, shown.window], ["http", "up", 10]);
    assert.equal(shown.binds.length, 1);
  });

  it("marks a message that may have arrived unknown, and never sends it again", async () => {
    const lost: AggregatorBehaviour[] = [
      () => {},
      (response) => response.socket?.destroy(),
      (response) => answer(response, 500, {}),
      (response) => answer(response, 504, {}),
      (response) => answer(response, 200, { messages: [{ status: "queued" }] }),
      (response) => response.end("<html>"),
      (response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("{");
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ];
    const before = aggregator.asked.length;
    const answers = [];
    for (const behave of lost) answers.push(await send(behave));
    assert.deepEqual(
      answers.map(({ status }) => status),
      lost.map(() => 202),
    );
    aggregator.behave = taken;
    await kit.advance(16 * 60);
    for (const { body } of answers) {
      const message = await read(body.id);
      assert.equal(message.failure.code, "outcome_unknown");
      assert.equal(message.price, 0);
    }
    assert.equal(aggregator.asked.length - before, lost.length);
  });

  it("offers a message again to a busy carrier, as the same attempt", async () => {
    let isBusy = true;
    const before = aggregator.asked.length;
    const sent = await send((response, asked) => {
      if (isBusy) {
        isBusy = false;
        response.writeHead(429, { "retry-after": "1" });
        response.end();
      } else taken(response, asked);
    });
    assert.equal(sent.status, 201, "it was taken within three seconds");
    const refs = aggregator.asked.slice(before).map((one) => one.body.client_ref);
    assert.equal(refs.length, 2);
    assert.equal(refs[0], refs[1]);
  });

  it("stores the carrier's codes of refusals and failed receipts", async () => {
    const refused = await send((response) =>
      answer(response, 400, { error: { code: "bad_number" } }),
    );
    assert.equal(refused.status, 502);
    const { failure } = await read(refused.body.message_id);
    assert.deepEqual(
      [failure.code, failure.carrier_code],
      ["invalid_number", "http:400:bad_number"],
    );
    const sent = await send(taken);
    const { id } = aggregator.asked.at(-1) ?? { id: "" };
    const receipt = { id, status: "Rejected", error: 21 };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 200);
    await until(async () => (await read(sent.body.id)).status === "failed");
    const rejected = (await read(sent.body.id)).failure;
    assert.deepEqual(
      [rejected.code, rejected.carrier_code],
      ["carrier_rejected", "dlr:Rejected:21"],
    );
  });

  it("accepts several ids for the parts of one message, which is delivered when all parts are", async () => {
    const sent = await send((response) =>
      answer(response, 200, {
        messages: [{ id: 9007199254740993001n.toString(), status: "queued" }, { id: "part-b" }],
      }),
    );
    assert.equal(sent.status, 201);
    const receipt = (id: string) =>
      aggregator.call("/callbacks/aggregator/receipts", { id, status: "delivered" });
    await receipt("part-b");
    await kit.advance(5);
    assert.equal((await read(sent.body.id)).status, "sent");
    await receipt("9007199254740993001");
    await until(async () => (await read(sent.body.id)).status === "delivered");
  });

  it("refuses callbacks that are badly signed, old, too large, unreadable or for no carrier", async () => {
    const path = "/callbacks/aggregator/receipts";
    const receipt = { id: "forged", status: "delivered" };
    const now = Math.floor(Date.now() / 1_000);
    const refused: [path: string, body: object, changes: object, status: number][] = [
      [path, receipt, { secret: "another-secret-of-theirs" }, 401],
      [path, receipt, { headers: { "x-signature": "" } }, 401],
      [path, receipt, { timestamp: now - 3_600 }, 401],
      [path, receipt, { headers: { "x-timestamp": String(now - 1) } }, 401],
      [`${path}/token`, receipt, {}, 401],
      ["/callbacks/nobody/receipts", receipt, {}, 404],
      ["/callbacks/aggregator/others", receipt, {}, 404],
      [path, { status: "delivered" }, {}, 400],
      [path, { id: "forged" }, {}, 400],
      ["/callbacks/aggregator/inbound", { to: "+14155558222" }, {}, 400],
      [path, { ...receipt, more: "x".repeat(300_000) }, {}, 413],
    ];
    for (const [at, body, changes, status] of refused) {
      assert.equal(
        await aggregator.call(at, body, changes),
        status,
        `${at} ${JSON.stringify(changes)}`,
      );
    }
    lines.length = 0;
    const unsigned = await fetch(kit.url + path, { method: "POST", body: JSON.stringify(receipt) });
    await assertEmpty(unsigned, 401);
    const line = lines.map((line) => JSON.parse(line)).find((line) => /refused/.test(line.msg));
    assert.equal(line.msg, "carriers: callback refused");
    assert.equal(line.carrier, "aggregator");
    assert.match(line.reason, /^The header x-timestamp is missing\. Put the time /);
    const rows = await kit.rows("select 1 from carrier_inbox where reference = 'forged'");
    assert.equal(rows.length, 0);
  });

  it("gives a carrier that does not sign an unguessable path, and reads forms, lists and queries", async () => {
    aggregator.behave = taken;
    const sent = await sendVia(UNSIGNED_FROM);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const asked = aggregator.asked.at(-1);
    assert.equal(asked?.headers["content-type"], "application/x-www-form-urlencoded");
    const token = createHmac("sha256", AGGREGATOR_SECRET).update("plain/receipts").digest("hex");
    const path = `/callbacks/plain/receipts/${token.slice(0, 32)}`;
    assert.equal(asked?.body.dlr, `https://us.example${path}`);
    const results = [
      { messageId: "nobody-has-this", state: 5 },
      { messageId: asked?.id, state: 5 },
    ];
    assert.equal(await aggregator.call("/callbacks/plain/receipts", { results }), 401);
    assert.equal(await aggregator.call(`${path.slice(0, -1)}_`, { results }), 401);
    assert.equal(await aggregator.call(path, { results }), 200);
    await until(async () => (await read(sent.body.id)).status === "delivered");

    const { config } = kit.deps.carriers.links().find((one) => one.config.name === "plain") ?? {};
    assert.ok(config?.type === "http");
    const inbound = callbackUrl("plain", config.http.callbacks, "inbound");
    const parts = ["Hello ", "there"].map((text, index) => ({
      msisdn: "14155558333",
      to: UNSIGNED_FROM,
      text,
      ref: "77",
      of: "2",
      part: String(index + 1),
    }));
    const [first, second] = parts.map((part) => new URLSearchParams(part).toString());
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const posted = await fetch(`${kit.url}${inbound}`, {
      method: "POST",
      body: second ?? "",
      headers: form,
    });
    await assertEmpty(posted, 200);
    await assertEmpty(await fetch(`${kit.url}${inbound}?${first}`), 200);
    const list = `/v1/messages?direction=inbound&from=${encodeURIComponent("+14155558333")}`;
    const received = async () => (await kit.request("GET", list)).body.data;
    await until(async () => (await received()).length === 1);
    assert.equal((await received())[0].body, "Hello there");
  });

  it("is down while the carrier rejects our credentials, and loses no message", async () => {
    aggregator.behave = (response) => answer(response, 401, {});
    const before = aggregator.asked.length;
    const sent = await sendVia(FAULTY_FROM);
    assert.equal(sent.status, 202);
    const shown = await link("faulty");
    assert.deepEqual([shown.state, shown.last_error], ["down", "The carrier answered http:401."]);
    assert.equal((await sendVia(FAULTY_FROM)).status, 202);
    assert.equal(aggregator.asked.length - before, 1, "a wrong key is not tried over and over");
  });

  it("reaches a private address only where the file allows it", async () => {
    const shown = await link("refused");
    assert.equal(shown.state, "down");
    assert.match(shown.last_error, /not public/);
  });

  it("fails over to the next carrier while no server listens, and fails back", async () => {
    aggregator.behave = taken;
    const next = { name: "next", type: "simulator", priority: 20, numbers: [FROM] };
    await writeCarriers(file, [...entries(), next]);
    const { body } = await kit.operator("POST", "/carriers/reload");
    assert.deepEqual(body.added, ["next"]);
    assert.equal(body.unchanged.length, 4);
    await aggregator.stop();
    const before = aggregator.asked.length;
    // The first message to fail waits for the link; it has not left, so retrying is safe.
    const first = sendVia(FROM);
    await until(async () => (await link("aggregator")).state === "down");
    const passed = await sendVia(FROM);
    assert.deepEqual([passed.status, passed.body.carrier], [201, "next"]);
    await aggregator.restart();
    await until(async () => (await link("aggregator")).state === "up");
    const { body: found } = await first;
    // Well before the half minute of a retry.
    await until(async () => (await read(found.id)).sent_at !== null, 20_000);
    const last = (await sendVia(FROM)).body;
    assert.equal(last.carrier, "aggregator");
    // After a longer outage than a message waits, the first carrier took the other message too.
    const texts = [await read(found.id), last].filter(({ carrier }) => carrier === "aggregator");
    assert.deepEqual(
      aggregator.asked.slice(before).map((one) => one.body.to),
      texts.map(({ to }) => to),
    );
  });
});
