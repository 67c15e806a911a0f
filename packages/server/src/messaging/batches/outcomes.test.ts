/** Outcome of each recipient of a batch, and what its results count. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeBatch, recipientsOf } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { text } from "../../../testing/inbound-stage.ts";
import type { Kit } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";

const FROM = "+15005550100";
const DELIVERED = "+15005550000";
const LANDLINE = "+15005550007";

describe("the outcome of each recipient of a batch", () => {
  const suite = suiteKit();

  async function account(): Promise<Kit> {
    const kit = await secondAccount(suite());
    await giveNumber(kit);
    return kit;
  }

  it("shows the message's status and failure, receipts included, and filters by it", async () => {
    const kit = await account();
    const { id } = await makeBatch(kit, [DELIVERED, LANDLINE], { from: FROM });
    await kit.advance(60);
    const rows = await recipientsOf(kit, id);
    assert.deepEqual(
      rows.map((row) => [row.status, row.message_status, row.failure?.code ?? null]),
      [
        ["sent", "delivered", null],
        ["sent", "failed", "landline"],
      ],
    );
    assert.ok(rows[0]?.delivered_at);
    assert.equal(rows[1]?.delivered_at, null);
    const path = `/v1/batches/${id}/recipients?message_status=failed`;
    const failed = (await kit.request("GET", path)).body.data;
    assert.deepEqual(
      failed.map((row: { to: string }) => row.to),
      [LANDLINE],
    );
  });

  it("exports the recipients with their results, as the filters choose them", async () => {
    const kit = await account();
    const { id } = await makeBatch(kit, [DELIVERED, LANDLINE], { from: FROM });
    await kit.advance(60);
    const all = await kit.api.exports.batchRecipients(id);
    const [header = "", ...lines] = (await all.text()).trim().split("\r\n");
    assert.match(header, /^index,to,status,message_status,failure_code,failure,/);
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? "", /^1,'?\+15005550007,sent,failed,landline,/);
    const failed = await kit.api.exports.batchRecipients(id, { outcome: "failed" });
    assert.equal((await failed.text()).trim().split("\r\n").length, 2);
    const other = await account();
    const path = `/v1/exports/batches/${id}/recipients`;
    assert.equal((await other.request("GET", path)).status, 404);
  });

  it("shows who made a batch and for whom, and finds it by a part of name or text", async () => {
    const kit = await account();
    await kit.api.contacts.upsert({ phone_number: DELIVERED, tags: ["vip"] });
    const { key } = await kit.api.account.get();
    const filter = { field: "tag", op: "is", value: "vip" } as const;
    const segment = await kit.api.segments.create({ name: "Regulars", filter });
    const toSegment = await kit.api.batches.create({
      ...{ from: FROM, name: "Spring SALE", body: "20 % off", segment_id: segment.id },
    });
    const toTags = await kit.api.batches.create({
      from: FROM,
      body: "We open at 9",
      tags: ["VIP "],
    });
    const { audience, created_by } = await kit.api.batches.get(toSegment.id);
    assert.deepEqual(audience, { source: "segment_id", segment_id: segment.id, tags: null });
    assert.equal(created_by, key?.id);
    assert.deepEqual(toTags.audience, { source: "tags", segment_id: null, tags: ["vip"] });
    const idsOf = async (q: string) => (await kit.api.batches.list({ q })).data.map(({ id }) => id);
    assert.deepEqual(await idsOf("spring sale"), [toSegment.id]);
    assert.deepEqual(await idsOf("open AT"), [toTags.id]);
    assert.deepEqual(await idsOf("100 %"), []);
  });

  it("a row is a duplicate only of a row that gets a message", async () => {
    const kit = await account();
    const recipients = [
      { to: DELIVERED },
      { to: DELIVERED, variables: { name: "Ada" } },
      { to: DELIVERED, variables: { name: "Grace" } },
    ];
    const body = { from: FROM, body: "Hi {{name}}", recipients };
    const made = await kit.request("POST", "/v1/batches", { body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual(
      made.body.rejected.map((row: { index: number; reason: string }) => [row.index, row.reason]),
      [
        [0, "missing_variable"],
        [2, "duplicate"],
      ],
    );
  });

  it("keywords are no replies", async () => {
    const kit = await account();
    const people = ["+14155552671", "+14155552672"];
    const { id } = await makeBatch(kit, people, { from: FROM });
    await kit.advance(5);
    const [first = "", second = ""] = people;
    await text(kit, "HELP", { from: first });
    await text(kit, "START", { from: first });
    await text(kit, "See you then", { from: first });
    await text(kit, "STOP", { from: second });
    const { body } = await kit.request("GET", `/v1/batches/${id}/results`);
    assert.deepEqual([body.replies, body.stops], [1, 1]);
  });

  it("HELP is answered five times an hour, and once to somebody who opted out", async () => {
    const kit = await account();
    const helps = async (from: string) => {
      for (let count = 0; count < 7; count += 1) await text(kit, "HELP", { from });
      const rows = await kit.rows(
        "select 1 from messages where auto_reply and account_id = $1 and to_number = $2",
        [kit.account.id, from],
      );
      return rows.length;
    };
    assert.equal(await helps("+14155552671"), 5);
    await text(kit, "STOP", { from: "+14155552672" });
    assert.equal(await helps("+14155552672"), 2, "the reply to STOP and one HELP");
    await kit.advance(3_601);
    assert.equal(await helps("+14155552671"), 10);
  });
});
