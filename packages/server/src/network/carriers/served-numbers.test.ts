import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Smsc } from "@longwave/smpp/smsc";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import {
  aggregatorEntry,
  answer,
  type MockAggregator,
  startAggregator,
  taken,
} from "../../../testing/mock-aggregator.ts";
import { carriersFile, smppEntry, writeCarriers } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";
import { createLog } from "../../core/platform/log.ts";

const NORTH = "+14155550100";
const SOUTH = "+14155550101";
const EAST = "+14155550102";
const SERVICE = "+12065550150";
const WORDS = "STOP";
const INBOUND_LINE = "carriers: inbound for a number this carrier does not serve";
const RECEIPT_LINE = "carriers: receipt for a message this carrier does not have";

describe("a carrier speaks only for the numbers that it serves", () => {
  let kit: Kit;
  let smsc: Smsc;
  let aggregator: MockAggregator;
  let file: string;
  const lines: string[] = [];
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
  let phones = 0;

  const entries = ({ north = [NORTH, SERVICE], east = [EAST] } = {}) => [
    smppEntry(smsc, { name: "north", system_id: "north", numbers: north }),
    smppEntry(smsc, { name: "south", system_id: "south", numbers: [SOUTH] }),
    aggregatorEntry(aggregator, { name: "east", numbers: east }),
    aggregatorEntry(aggregator, { name: "spare", numbers: [EAST, SOUTH], priority: 20 }),
  ];

  before(async () => {
    smsc = await Smsc.start({ password: "secret", redeliverMs: 50 });
    lifetime.after(() => smsc.stop());
    aggregator = await startAggregator(lifetime);
    file = await carriersFile(lifetime, entries());
    const destination = { write: (line: string) => lines.push(line) };
    const env = { LONGWAVE_CARRIERS: file, LONGWAVE_VERIFY_NUMBERS: SERVICE };
    kit = await startKit(lifetime, env, { log: createLog({ level: "warn", destination }) });
    aggregator.server = kit.url;
    await until(() => kit.deps.carriers.all().every((carrier) => carrier.state().state === "up"));
    await goLive(kit, 100);
    for (const phone of [NORTH, SOUTH, EAST]) {
      await giveNumber(kit, { phone, mode: "live", senderState: "active" });
    }
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });

  const newPhone = () => {
    phones += 1;
    return `+1415555${7_000 + phones}`;
  };
  const link = async (name: string) => {
    const { body } = await kit.operator("GET", "/carriers");
    return body.data.find((one: { name: string }) => one.name === name);
  };
  const bringOverSmpp = (systemId: string, from: string, to: string, text = WORDS) =>
    smsc.sendText({ systemId, from: from.slice(1), to: to.slice(1), text });
  const bringOverHttp = (carrier: string, from: string, to: string, text = WORDS) =>
    aggregator.call(`/callbacks/${carrier}/inbound`, { id: `mo-${from}-${to}`, from, to, text });
  const isOptedOut = async (phone: string) =>
    (await kit.rows("select 1 from consent_states where phone_number = $1", [phone])).length > 0;
  const inboundOf = async (phone: string) =>
    (
      await kit.rows("select 1 from messages where direction = 'inbound' and from_number = $1", [
        phone,
      ])
    ).length;
  const linesOf = (msg: string) =>
    lines.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);
  const metrics = async () => (await kit.request("GET", "/metrics", { key: null })).body as string;
  const send = (from: string) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: newPhone(), from, body: "Hello" },
    });
  const read = async (id: string) => (await kit.request("GET", `/v1/messages/${id}`)).body;
  const reload = async (changed: object[]) => {
    await writeCarriers(file, changed);
    assert.equal((await kit.operator("POST", "/carriers/reload")).status, 200);
  };

  /** All rows that an inbound message could have caused. */
  const assertUnheard = async (phone: string) => {
    await kit.advance(10);
    assert.equal(await isOptedOut(phone), false);
    assert.equal(await inboundOf(phone), 0);
    const sent = "select 1 from messages where direction = 'outbound' and to_number = $1";
    assert.deepEqual(await kit.rows(sent, [phone]), []);
    const events =
      "select 1 from events where data ->> 'from' = $1 or data ->> 'phone_number' = $2";
    assert.deepEqual(await kit.rows(events, [phone, phone]), []);
  };

  it("acknowledges STOP over SMPP for another carrier's number, stores it and changes nothing", async () => {
    const phone = newPhone();
    assert.deepEqual(await bringOverSmpp("south", phone, NORTH), [0]);
    await assertUnheard(phone);
    const kept = await kit.rows(
      `select carrier, payload ->> 'body' as body, due_at, handled_at is not null as is_handled, message_id
         from carrier_inbox where payload ->> 'from' = $1`,
      [phone],
    );
    const raw = { carrier: "south", body: WORDS, due_at: null, is_handled: true, message_id: null };
    assert.deepEqual(kept, [raw]);
    const { unowned_inbound: unowned } = await link("south");
    assert.deepEqual([unowned.count, unowned.last_number], [1, NORTH]);
    assert.ok(Date.parse(unowned.last_at) <= kit.deps.clock.now());
    const { unowned_inbound: none } = await link("north");
    assert.deepEqual(none, { count: 0, last_at: null, last_number: null });
    const [line, ...more] = linesOf(INBOUND_LINE);
    assert.deepEqual([line.carrier, line.to, line.count, more.length], ["south", NORTH, 1, 0]);
    assert.ok(!lines.join("\n").includes(WORDS), "what it says is nobody's business");
    assert.match(await metrics(), /longwave_inbound_unowned_total\{carrier="south"\} 1/);
    // The same message from the serving carrier counts.
    assert.deepEqual(await bringOverSmpp("north", phone, NORTH), [0]);
    await until(() => isOptedOut(phone));
    assert.equal(await inboundOf(phone), 1);
  });

  it("stores parts of a long message for another carrier's number as unowned too", async () => {
    const phone = newPhone();
    const statuses = await bringOverSmpp("south", phone, NORTH, `STOP ${"x".repeat(200)}`);
    assert.deepEqual(statuses, [0, 0]);
    await assertUnheard(phone);
    await kit.advance(3_700);
    assert.equal(await inboundOf(phone), 0);
  });

  it("answers 200 to a callback with STOP for another carrier's number, and changes nothing", async () => {
    const phone = newPhone();
    const before = (await link("east")).unowned_inbound.count;
    assert.equal(await bringOverHttp("east", phone, SOUTH), 200);
    assert.equal(await bringOverHttp("east", phone, "12345"), 200);
    await assertUnheard(phone);
    assert.equal((await link("east")).unowned_inbound.count, before + 2);
    assert.equal(await bringOverHttp("east", phone, EAST), 200);
    await until(() => isOptedOut(phone));
  });

  it("accepts messages from every carrier that serves a number, fallback carriers included", async () => {
    const [phone, other] = [newPhone(), newPhone()];
    assert.equal(await bringOverHttp("spare", phone, SOUTH), 200);
    assert.equal(await bringOverHttp("spare", other, EAST), 200);
    await until(async () => (await isOptedOut(phone)) && (await isOptedOut(other)));
  });

  it("handles STOP to the service's own number only from a carrier that serves it", async () => {
    const phone = newPhone();
    const stops = async () =>
      (await kit.rows("select 1 from verification_stops where phone = $1", [phone])).length;
    await bringOverSmpp("south", phone, SERVICE);
    await kit.advance(10);
    assert.equal(await stops(), 0);
    await bringOverSmpp("north", phone, SERVICE);
    await until(async () => (await stops()) === 1);
  });

  it("follows the carriers file: a moved number belongs to the other carrier", async () => {
    const [early, late] = [newPhone(), newPhone()];
    await reload(entries({ north: [SERVICE], east: [EAST, NORTH] }));
    assert.equal(await bringOverHttp("east", early, NORTH), 200);
    await until(() => isOptedOut(early));
    await until(() => kit.deps.carriers.all().every((carrier) => carrier.state().state === "up"));
    assert.deepEqual(await bringOverSmpp("north", late, NORTH), [0]);
    await assertUnheard(late);
    await reload(entries());
    await until(() => kit.deps.carriers.all().every((carrier) => carrier.state().state === "up"));
    // A repeat after the carrier serves the number takes effect.
    assert.deepEqual(await bringOverSmpp("north", late, NORTH), [0]);
    await until(() => isOptedOut(late));
  });

  it("ignores and logs a receipt of a carrier that did not carry the message", async () => {
    aggregator.behave = taken;
    const sent = await send(EAST);
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    assert.equal(sent.body.carrier, "east");
    const asked = aggregator.asked.at(-1);
    const receipt = { id: asked?.id, client_ref: asked?.body.client_ref, status: "rejected" };
    assert.equal(await aggregator.call("/callbacks/spare/receipts", receipt), 200);
    await until(async () => (await link("spare")).unowned_receipts.count === 1);
    assert.equal((await link("spare")).unowned_receipts.last_number, EAST);
    assert.equal((await read(sent.body.id)).status, "sent");
    // The log line and the metric follow the commit.
    const metric = /longwave_receipts_unowned_total\{carrier="spare"\} 1/;
    await until(async () => metric.test(await metrics()));
    const [line] = linesOf(RECEIPT_LINE);
    assert.deepEqual([line.carrier, line.from, line.count], ["spare", EAST, 1]);
    const open = "select 1 from carrier_inbox where carrier = 'spare' and due_at is not null";
    assert.deepEqual(await kit.rows(open), [], "it is not looked for again");
    // A late receipt of the carrier that carried the message counts, whatever numbers it serves
    // now.
    await reload(entries({ east: ["+14155550199"] }));
    const late = { ...receipt, status: "delivered" };
    assert.equal(await aggregator.call("/callbacks/east/receipts", late), 200);
    await until(async () => (await read(sent.body.id)).status === "delivered");
    await reload(entries());
  });

  it("ignores a failed receipt of the carrier of an earlier attempt", async () => {
    await until(() => kit.deps.carriers.all().every((carrier) => carrier.state().state === "up"));
    aggregator.behave = (response) => answer(response, 400, { error: { code: "busy" } });
    const sent = await send(EAST);
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const first = aggregator.asked.at(-1)?.body.client_ref;
    aggregator.behave = taken;
    await reload(entries({ east: ["+14155550199"] }));
    await until(() => kit.deps.carriers.all().every((carrier) => carrier.state().state === "up"));
    await kit.advance(31);
    await until(async () => (await read(sent.body.id)).status === "sent");
    assert.equal((await read(sent.body.id)).carrier, "spare");
    const failed = { id: "of-the-first", client_ref: first, status: "rejected" };
    assert.equal(await aggregator.call("/callbacks/east/receipts", failed), 200);
    const isApplied = async () =>
      (
        await kit.rows(
          "select 1 from carrier_inbox where reference = 'of-the-first' and due_at is null",
        )
      ).length === 1;
    await until(isApplied);
    assert.equal((await read(sent.body.id)).status, "sent", "the other carrier has it");
    const { id } = aggregator.asked.at(-1) ?? { id: "" };
    assert.equal(
      await aggregator.call("/callbacks/spare/receipts", { id, status: "delivered" }),
      200,
    );
    await until(async () => (await read(sent.body.id)).status === "delivered");
    await reload(entries());
  });

  it("counts a receipt that matched no message of the carrier within 72 hours", async () => {
    const before = (await link("east")).unowned_receipts.count;
    const stray = { id: "nobody-has-this", status: "delivered" };
    assert.equal(await aggregator.call("/callbacks/east/receipts", stray), 200);
    await kit.advance(3_600);
    assert.equal((await link("east")).unowned_receipts.count, before);
    await kit.advance(72 * 3_600);
    assert.equal((await link("east")).unowned_receipts.count, before + 1);
    assert.equal((await link("east")).unowned_receipts.last_number, null);
  });

  it("counts a message for a number that no account holds", async () => {
    const before = (await link("spare")).unowned_inbound.count;
    await reload([...entries(), aggregatorEntry(aggregator, { name: "all", priority: 30 })]);
    assert.equal(await bringOverHttp("all", newPhone(), "+14155550999", "Hi"), 200);
    await until(async () => (await link("all")).unowned_inbound.count === 1);
    assert.equal((await link("all")).unowned_inbound.last_number, "+14155550999");
    assert.equal((await link("spare")).unowned_inbound.count, before);
  });
});
