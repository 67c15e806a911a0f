/** Metadata of messages, batches, scheduled messages, verifications and contacts, and what events carry of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { eventsOf } from "../../../testing/inbound-stage.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";

const FROM = "+15005550100";
const ORDER = { order: "A-17", "größe ✓": 'XL \\ "quoted"' };

describe("metadata", () => {
  const suite = suiteKit();

  async function account(): Promise<Kit> {
    const kit = await secondAccount(suite());
    await giveNumber(kit);
    return kit;
  }

  const post = async (kit: Kit, path: string, body: object, status = 201) => {
    const answer = await kit.request("POST", `/v1${path}`, { body });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body;
  };
  const get = async (kit: Kit, path: string) => (await kit.request("GET", `/v1${path}`)).body;
  const send = (kit: Kit, more: object) =>
    post(kit, "/messages", { from: FROM, to: "+15005550000", body: "Hi", ...more });
  const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
  const filter = (fields: Record<string, string>) =>
    Object.entries(fields)
      .map(([key, value]) => `metadata[${encodeURIComponent(key)}]=${encodeURIComponent(value)}`)
      .join("&");

  it("comes back with the message and its events, and finds it", async () => {
    const kit = await account();
    const sent = await send(kit, { metadata: ORDER });
    const other = await send(kit, { metadata: { order: "A-18" } });
    const plain = await send(kit, {});
    assert.deepEqual(sent.metadata, ORDER);
    assert.deepEqual(plain.metadata, {});
    assert.deepEqual((await get(kit, `/messages/${sent.id}`)).metadata, ORDER);
    assert.deepEqual(ids(await get(kit, `/messages?${filter({ order: "A-17" })}`)), [sent.id]);
    assert.deepEqual(ids(await get(kit, `/messages?${filter(ORDER)}`)), [sent.id]);
    assert.deepEqual(ids(await get(kit, `/messages?${filter({ order: "A-19" })}`)), []);
    const both = await send(kit, { metadata: { order: "A-17", step: "2" } });
    const first = await get(kit, `/messages?${filter({ order: "A-17" })}&limit=1`);
    assert.deepEqual([ids(first), first.has_more], [[both.id], true]);
    const next = `&limit=1&cursor=${first.next_cursor}`;
    assert.deepEqual(ids(await get(kit, `/messages?${filter({ order: "A-17" })}${next}`)), [
      sent.id,
    ]);
    const toOther = `&to=${encodeURIComponent("+14155550199")}`;
    assert.deepEqual(ids(await get(kit, `/messages?${filter({ order: "A-17" })}${toOther}`)), []);
    await kit.advance(5);
    const told = (await eventsOf(kit)).filter(({ data }) => data["message_id"] === sent.id);
    assert.deepEqual(
      told.map(({ type, data }) => [type, data["metadata"]]),
      [
        ["message.sent", ORDER],
        ["message.delivered", ORDER],
      ],
    );
    const plainEvents = (await eventsOf(kit)).filter((one) => one.data["message_id"] === plain.id);
    for (const { data } of plainEvents) {
      for (const field of ["metadata", "batch_id", "scheduled_message_id", "schedule_id"]) {
        assert.equal(field in data, false, field);
      }
    }
    assert.notEqual(other.id, sent.id);
  });

  it("passes from a batch to its messages, beside each recipient's own", async () => {
    const kit = await account();
    const recipients = [
      { to: "+15005550000", metadata: { order: "A-1", row: "1" } },
      { to: "+15005550009" },
    ];
    const batch = { from: FROM, body: "Hi", recipients, metadata: { order: "all", kind: "news" } };
    const { id, metadata } = await post(kit, "/batches", batch);
    assert.deepEqual(metadata, batch.metadata);
    await kit.advance(5);
    const page = await get(kit, `/messages?batch_id=${id}`);
    const shown = page.data.map((one: { to: string; metadata: object }) => [one.to, one.metadata]);
    assert.deepEqual(
      new Map(shown),
      new Map<string, object>([
        ["+15005550000", { order: "A-1", kind: "news", row: "1" }],
        ["+15005550009", { order: "all", kind: "news" }],
      ]),
    );
    const rows = (await get(kit, `/batches/${id}/recipients`)).data;
    assert.deepEqual(rows[0].metadata, recipients[0]?.metadata);
    const [event] = (await eventsOf(kit)).filter(({ type }) => type === "message.sent");
    assert.equal(event?.data["batch_id"], id);
    const unknown = await kit.request("GET", "/v1/messages?batch_id=bat_nothing");
    assertRefused(unknown, 400, "invalid_request", "batch_id");
  });

  it("passes from a scheduled message to its message", async () => {
    const kit = await account();
    const scheduled_at = kit.deps.clock.now() + 60_000;
    const later = await send(kit, { scheduled_at, metadata: ORDER });
    assert.deepEqual(later.metadata, ORDER);
    await kit.advance(120);
    const { message_id } = await get(kit, `/scheduled_messages/${later.id}`);
    assert.deepEqual((await get(kit, `/messages/${message_id}`)).metadata, ORDER);
    const [event] = (await eventsOf(kit)).filter(({ type }) => type === "message.sent");
    assert.equal(event?.data["scheduled_message_id"], later.id);
    assert.deepEqual(event?.data["metadata"], ORDER);
  });

  it("stays with verifications and contacts", async () => {
    const kit = await account();
    const { id } = await post(kit, "/verify", { phone: "+15005550000", metadata: ORDER });
    assert.deepEqual((await get(kit, `/verify/${id}`)).metadata, ORDER);
    const contact = { phone_number: "+14155552671", metadata: ORDER };
    const made = await post(kit, "/contacts", contact);
    assert.deepEqual(made.metadata, ORDER);
    const path = `/v1/contacts/${made.id}`;
    const change = async (metadata: unknown) =>
      (await kit.request("PATCH", path, { body: { metadata } })).body.metadata;
    assert.deepEqual(await change({ plan: "gold" }), { plan: "gold" });
    assert.deepEqual(await change(null), {});
  });

  it("keeps its limits, in code points", async () => {
    const kit = await account();
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
    const long = { ["🔑".repeat(40)]: "✓".repeat(500) };
    assert.deepEqual((await send(kit, { metadata: { ...keys(19), ...long } })).metadata, {
      ...keys(19),
      ...long,
    });
    for (const metadata of [keys(21), { a: 1 }, { ["k".repeat(41)]: "" }, { a: "v".repeat(501) }]) {
      const body = { from: FROM, to: "+15005550000", body: "Hi", metadata };
      const answer = await kit.request("POST", "/v1/messages", { body });
      assert.equal(answer.status, 400, JSON.stringify(metadata));
      assert.match(answer.body.error.param, /^metadata/);
    }
    const recipients = [{ to: "+15005550000", metadata: { one: "more" } }];
    const batch = { from: FROM, body: "Hi", recipients, metadata: keys(20) };
    const answer = await kit.request("POST", "/v1/batches", { body: batch });
    assertRefused(answer, 400, "invalid_request", "recipients[0].metadata");
    const wrong = await kit.request("GET", "/v1/messages?metadata=x");
    assertRefused(wrong, 400, "invalid_request", "metadata");
  });
});
