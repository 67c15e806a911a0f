import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Contact, type ContactFilter, matchesFilter, parseFilter } from "@longwave/contract";
import fc from "fast-check";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";

const phoneOf = (n: number) => `+1${["415", "206", "212"][n % 3]}555${1_000 + n}`;
const WORDS = [
  "Ann",
  "ann lee",
  "Zoë",
  "İstanbul",
  "ß",
  "Ω mega",
  "漢字",
  "%",
  "_",
  "\\",
  "'",
  "';drop table contacts;--",
  "$1",
  "$x",
  "null",
  "\u00e9",
  "e\u0301",
  "a\u200bb",
];

describe("segments", () => {
  const kit = suiteKit();
  const ask = (stage: Stage, method: string, path: string, body?: unknown) =>
    kit().request(method, `/v1${path}`, { key: stage.testKey, body });

  const text = fc.constantFrom(...WORDS);
  const someone = fc.record({
    name: fc.option(text),
    company: fc.option(text),
    email: fc.option(fc.constantFrom("Ann@Example.com", "zoë@y.org")),
    tags: fc.subarray(["vip", "Gold", "%", "ω", "Zoë"]),
    attributes: fc.option(
      fc.dictionary(fc.constantFrom("plan", "%", "a.b", "__proto__x"), text, { maxKeys: 3 }),
    ),
    opt_in: fc.option(fc.record({ status: fc.boolean() })),
  });
  type Someone = typeof someone extends fc.Arbitrary<infer T> ? T : never;

  const textOp = fc.constantFrom("is", "is_not", "contains", "starts_with");
  const needle = fc.oneof(text, fc.constantFrom("a", "nn", "ZO", "vip", "GOLD", "Ann@example.com"));
  const leafOf = (topicIds: readonly string[], now: number) =>
    fc.oneof(
      fc.record({
        field: fc.constantFrom(
          "tag",
          "name",
          "email",
          "company",
          "attributes.plan",
          "attributes.%",
          "attributes.a.b",
        ),
        op: textOp,
        value: needle,
      }),
      fc.record({
        field: fc.constantFrom(
          "tag",
          "name",
          "company",
          "attributes.plan",
          "phone_number",
          "created_at",
          "opted_out",
        ),
        op: fc.constant("exists"),
        value: fc.boolean(),
      }),
      fc.record({
        field: fc.constant("area_code"),
        op: textOp,
        value: fc.constantFrom("415", "4", "06"),
      }),
      fc.record({
        field: fc.constant("phone_number"),
        op: fc.constantFrom("contains", "starts_with"),
        value: fc.constantFrom("415", "+1206", "5551", "100"),
      }),
      fc.record({
        field: fc.constant("phone_number"),
        op: fc.constantFrom("is", "is_not"),
        value: fc.nat(5).map(phoneOf),
      }),
      fc.record({
        field: fc.constantFrom("created_at", "updated_at"),
        op: fc.constantFrom("before", "after"),
        value: fc.integer({ min: -60_000, max: 60_000 }).map((ms) => now + ms),
      }),
      fc.record({
        field: fc.constant("opted_out"),
        op: fc.constantFrom("is", "is_not"),
        value: fc.boolean(),
      }),
      fc.record({
        field: fc.constant("topic"),
        op: fc.constantFrom("is", "is_not"),
        value: fc.constantFrom(...topicIds),
      }),
    );
  const treeOf = (topicIds: readonly string[], now: number) =>
    fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small", maxDepth: 4 },
        leafOf(topicIds, now),
        fc.record({ all: fc.array(tie("node"), { maxLength: 4 }) }),
        fc.record({ any: fc.array(tie("node"), { maxLength: 4 }) }),
        fc.record({ not: tie("node") }),
      ),
    })).node;

  /** Creates contacts and two topic subscriptions; returns them in the form that filters take. */
  async function crowd(stage: Stage, people: readonly Someone[]) {
    const on = await stage.api.topics.create({ name: "On" });
    const off = await stage.api.topics.create({ name: "Off", default: "unsubscribed" });
    const contacts = people.map((one, n) => ({ ...one, phone_number: phoneOf(n) }));
    const imported = await ask(stage, "POST", "/contacts/import", { contacts });
    assert.deepEqual([imported.status, imported.body.skipped], [200, []]);
    await stage.api.topics.subscribe(on.id, { phone_number: phoneOf(0), subscribed: false });
    await stage.api.topics.subscribe(off.id, { phone_number: phoneOf(1), subscribed: true });
    const { body } = await ask(stage, "GET", "/contacts?limit=100");
    const subjects = (body.data as Contact[]).map((one) => ({
      ...one,
      createdAtMs: Date.parse(one.created_at),
      updatedAtMs: Date.parse(one.updated_at),
      optedOut: one.opted_out,
      topicIds: new Set([
        ...(one.phone_number === phoneOf(0) ? [] : [on.id]),
        ...(one.phone_number === phoneOf(1) ? [off.id] : []),
      ]),
    }));
    return { subjects, topicIds: [on.id, off.id] };
  }

  it("any filter selects the same contacts as matchesFilter, whatever its strings contain", async () => {
    const sample = fc.sample(fc.array(someone, { minLength: 12, maxLength: 12 }), {
      numRuns: 1,
      seed: 7,
    });
    const stage = await makeStage(kit());
    const { subjects, topicIds } = await crowd(stage, sample[0] ?? []);
    await fc.assert(
      fc.asyncProperty(treeOf(topicIds, kit().deps.clock.now()), async (tree) => {
        const filter = tree as ContactFilter;
        const parsed = parseFilter(filter);
        fc.pre(parsed.ok);
        const expected = subjects.filter((one) => matchesFilter(parsed.filter, one));
        const { status, body } = await ask(stage, "POST", "/segments/preview", { filter });
        assert.equal(status, 200, JSON.stringify(body));
        const ids = (list: { id: string }[]) => list.map((one) => one.id);
        assert.deepEqual(
          [body.size, ids(body.contacts)],
          [expected.length, ids(expected.slice(0, 5))],
        );
      }),
      { numRuns: 300 },
    );
    assert.equal(
      (await ask(stage, "GET", "/contacts?limit=100")).body.data.length,
      subjects.length,
    );
  });

  it("are created, changed, listed and deleted, with a current size", async () => {
    const stage = await makeStage(kit());
    const filter = { field: "tag", op: "is", value: "vip" };
    const made = await ask(stage, "POST", "/segments", { name: "VIPs", filter });
    assert.equal(made.status, 201);
    assert.deepEqual(made.body, { ...made.body, object: "segment", name: "VIPs", filter, size: 0 });
    const path = `/segments/${made.body.id}`;
    await ask(stage, "POST", "/contacts", { phone_number: phoneOf(0), tags: ["vip"] });
    await ask(stage, "POST", "/contacts", { phone_number: phoneOf(1) });
    assert.equal((await ask(stage, "GET", path)).body.size, 1);
    const members = await ask(stage, "GET", `/contacts?segment_id=${made.body.id}`);
    assert.deepEqual(
      members.body.data.map((one: { phone_number: string }) => one.phone_number),
      [phoneOf(0)],
    );
    const changed = await ask(stage, "PATCH", path, { filter: { not: filter } });
    assert.deepEqual([changed.body.name, changed.body.size], ["VIPs", 1]);
    await ask(stage, "POST", "/segments", { name: "All", filter: { all: [] } });
    const { body } = await ask(stage, "GET", "/segments");
    assert.deepEqual(
      body.data.map((one: { name: string; size: number }) => [one.name, one.size]),
      [
        ["All", 2],
        ["VIPs", 1],
      ],
    );
    assert.equal((await ask(stage, "DELETE", path)).status, 200);
    assertProblem(await ask(stage, "GET", path), 404, "not_found");
    assertProblem(
      await ask(stage, "GET", `/contacts?segment_id=${made.body.id}`),
      400,
      "invalid_request",
      "segment_id",
    );
    const other = await makeStage(kit());
    assertProblem(await ask(other, "GET", `/segments/${body.data[0].id}`), 404, "not_found");
  });

  it("refuse a filter with the path of the invalid leaf or unknown topic", async () => {
    const [stage, other] = [await makeStage(kit()), await makeStage(kit())];
    const foreign = await other.api.topics.create({ name: "Foreign" });
    const leaf = (value: unknown, op = "is") => ({ field: "topic", op, value });
    const cases: [unknown, string][] = [
      [{ all: [leaf(foreign.id)] }, "filter.all[0].value"],
      [{ any: [{ not: leaf("top_x") }] }, "filter.any[0].not.value"],
      [{ all: [{ field: "name", op: "matches", value: "x" }] }, "filter.all[0].op"],
      [{ field: "shoe_size", op: "is", value: "9" }, "filter.field"],
    ];
    for (const [filter, param] of cases) {
      for (const path of ["/segments", "/segments/preview"]) {
        const body = path === "/segments" ? { name: "x", filter } : { filter };
        assertProblem(await ask(stage, "POST", path, body), 400, "invalid_request", param);
      }
    }
    assert.deepEqual((await ask(stage, "GET", "/segments")).body.data, []);
  });
});
