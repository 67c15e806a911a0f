import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import {
  AGGREGATOR_SECRET,
  aggregatorEntry,
  type MockAggregator,
  startAggregator,
} from "../../../testing/mock-aggregator.ts";
import { carriersFile, writeCarriers } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const PHONE = "+14155552671";
const RIGHT = {
  receipts: { id: "data.id", status: "data.state" },
  inbound: { from: "data.sender", to: "data.number", body: "data.text" },
};
/** The declaration names other paths than the carrier uses. */
const WRONG = {
  receipts: { id: "data.tracking", status: "data.state" },
  inbound: { from: "data.from", to: "data.to", body: "data.text" },
};

describe("callbacks without an effect", () => {
  let kit: Kit;
  let aggregator: MockAggregator;
  let file: string;
  const takeDowns: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
  const entry = (paths: object) =>
    aggregatorEntry(aggregator, {
      numbers: [FROM],
      callbacks: { secret: AGGREGATOR_SECRET, signature: SIGNATURE, ...paths },
    });
  const SIGNATURE = {
    header: "X-Signature",
    prefix: "sha256=",
    signed: "{{timestamp}}.{{body}}",
    timestamp_header: "X-Timestamp",
  };
  const kept = async () =>
    (await kit.operator("GET", "/carriers/aggregator/kept_callbacks")).body.data;
  const replay = async () =>
    (await kit.operator("POST", "/carriers/aggregator/kept_callbacks/replay")).body;
  const declare = async (paths: object) => {
    await writeCarriers(file, [entry(paths)]);
    const reloaded = await kit.operator("POST", "/carriers/reload");
    assert.equal(reloaded.status, 200, JSON.stringify(reloaded.body));
    await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  };
  const sent = async () => {
    const body = { from: FROM, to: PHONE, body: "Hello" };
    const { body: message } = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
    return { id: message.id as string, reference: aggregator.asked.at(-1)?.id ?? "" };
  };
  const statusOf = async (id: string) =>
    (await kit.request("GET", `/v1/messages/${id}`, { key: kit.liveKey })).body.status;

  before(async () => {
    aggregator = await startAggregator(lifetime);
    file = await carriersFile(lifetime, [entry(WRONG)]);
    kit = await startKit(lifetime, { LONGWAVE_CARRIERS: file });
    aggregator.server = kit.url;
    await goLive(kit);
    await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
    await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  });
  after(async () => {
    for (const takeDown of takeDowns.toReversed()) await takeDown();
  });

  it("are kept with the paths that would match, and read again after a change of the file", async () => {
    const { id, reference } = await sent();
    const receipt = { data: { id: reference, state: "delivered" } };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 400);
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 400);
    const reply = { data: { sender: PHONE, number: FROM, text: "Yes" } };
    assert.equal(await aggregator.call("/callbacks/aggregator/inbound", reply), 400);
    // A callback with a wrong signature is not kept.
    const forged = { secret: "another-secret-of-nobody" };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt, forged), 401);

    const [inbound, first, ...more] = await kept();
    assert.deepEqual(more, []);
    assert.deepEqual([first.kind, first.times, first.is_item], ["receipts", 2, false]);
    assert.match(first.reason, /a receipt names no text/);
    assert.deepEqual(JSON.parse(first.body), receipt);
    assert.deepEqual(first.matches, [
      { field: "receipts.id", path: "data.id", value: reference, message_id: id },
      { field: "receipts.status", path: "data.state", value: "delivered", message_id: null },
    ]);
    assert.deepEqual(
      inbound.matches.map((one: { field: string; path: string }) => [one.field, one.path]),
      [
        ["inbound.from", "data.sender"],
        ["inbound.to", "data.number"],
        ["inbound.body", "data.text"],
      ],
    );

    const early = await replay();
    assert.deepEqual([early.read, early.unread.length], [0, 2], "the file is as it was");
    await declare(RIGHT);
    const late = await replay();
    assert.deepEqual([late.read, late.unread], [2, []]);
    assert.deepEqual(await kept(), []);
    await until(async () => (await statusOf(id)) === "delivered");
    await until(async () => {
      const rows = await kit.rows("select body from messages where direction = 'inbound'");
      return rows.length === 1 && rows[0].body === "Yes";
    });
  });

  it("include receipts that no message has, five minutes later", async () => {
    await declare({ ...RIGHT, receipts: { id: "data.tracking", status: "data.state" } });
    const { id, reference } = await sent();
    const receipt = { data: { tracking: "track-1", id: reference, state: "delivered" } };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 200);
    await kit.advance(600);
    const [lost] = await kept();
    assert.deepEqual([lost.kind, lost.is_item], ["receipts", true]);
    assert.equal(lost.reason, "No message has the reference track-1.");
    assert.equal(lost.matches[0].path, "data.id");
    const early = await replay();
    assert.deepEqual(
      [early.read, early.unread[0].reason],
      [0, "No message has the reference track-1."],
    );
    await declare(RIGHT);
    assert.equal((await replay()).read, 1);
    await until(async () => (await statusOf(id)) === "delivered");
  });

  it("are bounded in rows and bytes", async () => {
    await declare(WRONG);
    const big = { data: { text: "x".repeat(17_000) } };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", big), 400);
    assert.deepEqual(await kept(), [], "a long body is not kept");
    await kit.rows(
      `insert into kept_callbacks (id, carrier, kind, digest, reason, query, content_type, body, is_item, times, last_at)
       select gen_random_uuid(), 'aggregator', 'receipts', int4send(n), '', '', '', '', false, 1, now()
         from generate_series(1, 600) n`,
    );
    await aggregator.call("/callbacks/aggregator/receipts", { data: { state: "delivered" } });
    const [{ count }] = await kit.rows("select count(*)::int as count from kept_callbacks");
    assert.equal(count, 500);
    assertRefused(await kit.operator("GET", "/carriers/other/kept_callbacks"), 404, "not_found");
  });
});
