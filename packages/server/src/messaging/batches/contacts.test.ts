import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { postBatch, recipientsOf, untilBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { termsOf } from "../../people/contacts/search-terms.ts";

const phoneOf = (n: number) => `+1212${2_000_000 + n}`;

describe("batches to contacts", () => {
  const kit = suiteKit({ LONGWAVE_BATCH_PACE: "0" });
  let prepared: Promise<Record<string, string>> | null = null;

  /** Creates, once, three contacts (one opted out), a segment and two topics. */
  const prepare = () => {
    prepared ??= (async () => {
      await giveNumber(kit());
      const people = [
        {
          phone_number: phoneOf(0),
          name: "Ada Lovelace",
          tags: ["VIP"],
          attributes: { plan: "gold" },
        },
        {
          phone_number: phoneOf(1),
          name: "Bob",
          company: "Acme",
          tags: ["vip"],
          opt_in: { status: false },
        },
        {
          phone_number: phoneOf(2),
          tags: ["vip"],
          attributes: { plan: "free", name: "from attributes" },
        },
        { phone_number: phoneOf(3), name: "Zed" },
      ];
      const ids: Record<string, string> = {};
      for (const [n, person] of people.entries()) {
        const { body } = await kit().request("POST", "/v1/contacts", { body: person });
        ids[String(n)] = body.id;
      }
      const filter = { field: "tag", op: "is", value: "vip" } as const;
      ids["segment"] = (await kit().api.segments.create({ name: "VIPs", filter })).id;
      ids["topic"] = (await kit().api.topics.create({ name: "Offers" })).id;
      await kit().api.topics.subscribe(ids["topic"], {
        phone_number: phoneOf(2),
        subscribed: false,
      });
      return ids;
    })();
    return prepared;
  };
  const body = "Hi {{first_name|there}} of {{company|home}}, plan {{ plan | none }}, {{name}}";
  const rejectedOf = (answer: {
    body: { rejected: { index: number; reason: string; to: string }[] };
  }) => answer.body.rejected.map((row) => [row.index, row.to, row.reason]);

  it("by tags and by segment: newest first, variables from the contact, opt-outs rejected", async () => {
    const ids = await prepare();
    for (const chosen of [{ tags: ["Vip", "none"] }, { segment_id: ids["segment"] }]) {
      const checked = await postBatch(kit(), { ...chosen, body, dry_run: true });
      assert.equal(checked.status, 200, JSON.stringify(checked.body));
      assert.deepEqual([checked.body.total, checked.body.valid], [3, 2]);
      assert.deepEqual(rejectedOf(checked), [[1, phoneOf(1), "opted_out"]]);
      assert.deepEqual(checked.body.preview, [
        { to: phoneOf(2), body: "Hi there of home, plan free, from attributes" },
        { to: phoneOf(0), body: "Hi Ada of home, plan gold, Ada Lovelace" },
      ]);
      const made = await postBatch(kit(), { ...chosen, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.deepEqual(rejectedOf(made), [[1, phoneOf(1), "opted_out"]]);
      await untilBatch(kit(), made.body.id, "complete");
      const rows = await recipientsOf(kit(), made.body.id);
      assert.deepEqual(
        rows.map((row) => [row.index, row.to, row.status, row.variables]),
        [
          [0, phoneOf(2), "sent", { plan: "free", name: "from attributes" }],
          [2, phoneOf(0), "sent", { first_name: "Ada", plan: "gold", name: "Ada Lovelace" }],
        ],
      );
    }
  });

  it("by ids: in request order, each once, unknown contacts rejected", async () => {
    const ids = await prepare();
    const contact_ids = [ids["3"], "con_00000000000000000000000000", ids["0"], ids["3"], "nobody"];
    const made = await postBatch(kit(), { contact_ids, body: "Hi {{name}}" });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual(rejectedOf(made), [
      [1, "con_00000000000000000000000000", "unknown_contact"],
      [3, phoneOf(3), "duplicate"],
      [4, "nobody", "unknown_contact"],
    ]);
    const missing = await postBatch(kit(), { contact_ids: [ids["3"]], body: "{{company}}" });
    assertProblem(missing, 400, "no_valid_recipients", "contact_ids");
  });

  it("under a topic: unsubscribed people are rejected at creation and skipped at sending", async () => {
    const ids = await prepare();
    const topic_id = String(ids["topic"]);
    const checked = await postBatch(kit(), { tags: ["vip"], topic_id, dry_run: true });
    assert.deepEqual(rejectedOf(checked), [
      [0, phoneOf(2), "topic_unsubscribed"],
      [1, phoneOf(1), "opted_out"],
    ]);
    const recipients = [0, 2, 3, 4].map((n) => ({ to: phoneOf(n) }));
    const scheduled_at = kit().deps.clock.now() + 60_000;
    const made = await postBatch(kit(), { recipients, topic_id, scheduled_at });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.body.topic_id, topic_id);
    assert.deepEqual(rejectedOf(made), [[1, phoneOf(2), "topic_unsubscribed"]]);
    await kit().api.topics.subscribe(topic_id, { phone_number: phoneOf(4), subscribed: false });
    await kit().api.topics.subscribe(topic_id, { phone_number: phoneOf(2), subscribed: true });
    await kit().advance(61);
    const done = await untilBatch(kit(), made.body.id, "complete");
    assert.deepEqual([done.counts.sent, done.counts.skipped], [2, 1]);
    const [skipped] = await recipientsOf(kit(), made.body.id, "&status=skipped");
    assert.deepEqual(
      [skipped.to, skipped.failure.code, skipped.message_id],
      [phoneOf(4), "topic_unsubscribed", null],
    );
    const texts = await kit().request("GET", `/v1/messages?to=${encodeURIComponent(phoneOf(4))}`);
    assert.deepEqual(texts.body.data, []);
    await kit().api.topics.subscribe(topic_id, { phone_number: phoneOf(2), subscribed: false });
  });

  it("refuses an empty choice, unknown names, and more contacts than a batch may have", async () => {
    await prepare();
    const refused = async (chosen: Record<string, unknown>, code: string, param: string) =>
      assertProblem(await postBatch(kit(), chosen), 400, code, param);
    await refused({ tags: ["nobody has this"] }, "no_valid_recipients", "tags");
    await refused({ segment_id: "seg_x" }, "invalid_request", "segment_id");
    await refused({ tags: ["vip"], topic_id: "top_x" }, "invalid_request", "topic_id");
    await refused({ tags: ["vip"], contact_ids: ["con_x"] }, "invalid_request", "contact_ids");
    const { id, shard } = kit().account;
    await kit().rows(
      `with made as (
         insert into contacts (shard, account_id, id, phone_number, tags, tag_lines, created_at, updated_at)
         select $1, $2, gen_random_uuid(), '+1213' || (2000000 + n), '{crowd}', E'\\ncrowd\\n', now(), now()
           from generate_series(1, 10001) n
         returning shard, account_id, id
       )
       insert into contact_search (shard, account_id, first_id, text, terms)
       select shard, account_id, overlay(id::text placing '0' from 36)::uuid, '', array[$3::int] from made`,
      [shard, id, termsOf(id).ofTag("crowd")],
    );
    await refused({ tags: ["crowd"] }, "invalid_request", "tags");
    const all = await kit().api.segments.create({ name: "All", filter: { all: [] } });
    await refused({ segment_id: all.id, dry_run: true }, "invalid_request", "segment_id");
    await kit().rows("delete from contacts where phone_number = '+12132000001'");
    const most = await postBatch(kit(), { tags: ["crowd"], dry_run: true });
    assert.deepEqual([most.status, most.body.valid], [200, 10_000]);
  });
});
