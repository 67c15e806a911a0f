import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  FILTER_DEPTH_MAX,
  FILTER_LEAVES_MAX,
  type FilterSubject,
  matchesFilter,
  parseFilter,
} from "./contact-filter.ts";

const ADA: FilterSubject = {
  phone_number: "+14155550123",
  name: "Ada Lovelace",
  email: "Ada@Example.com",
  company: null,
  tags: ["VIP", "early bird"],
  attributes: { plan: "Gold", empty: "" },
  createdAtMs: Date.parse("2026-01-10T00:00:00Z"),
  updatedAtMs: Date.parse("2026-02-10T00:00:00Z"),
  optedOut: false,
  topicIds: new Set(["top_1"]),
  properties: { amount: 12, coupon: null },
};

function isChosen(filter: unknown): boolean {
  const parsed = parseFilter(filter, { properties: true });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return matchesFilter(parsed.filter, ADA);
}

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value });

describe("a contact filter", () => {
  it("matches by every field and operator", () => {
    const chosen: [string, string, unknown, boolean][] = [
      ["tag", "is", "vip", true],
      ["tag", "is", "vi", false],
      ["tag", "is_not", "gold", true],
      ["tag", "contains", "BIRD", true],
      ["tag", "starts_with", "bird", false],
      ["tag", "exists", true, true],
      ["tag", "exists", false, false],
      ["name", "is", "ADA LOVELACE", true],
      ["name", "is_not", "ada lovelace", false],
      ["name", "contains", "love", true],
      ["name", "starts_with", "ada", true],
      ["name", "exists", false, false],
      ["company", "exists", false, true],
      ["company", "is_not", "acme", true],
      ["company", "contains", "a", false],
      ["email", "contains", "@example", true],
      ["phone_number", "is", "(415) 555-0123", true],
      ["phone_number", "contains", "555", true],
      ["phone_number", "starts_with", "415", true],
      ["phone_number", "starts_with", "+1415", true],
      ["phone_number", "exists", false, false],
      ["area_code", "is", "415", true],
      ["area_code", "starts_with", "5", false],
      ["created_at", "before", "2026-01-11T00:00:00Z", true],
      ["created_at", "after", Date.parse("2026-01-10T00:00:00Z"), false],
      ["updated_at", "after", "2026-02-09T00:00:00Z", true],
      ["opted_out", "is", false, true],
      ["opted_out", "is_not", false, false],
      ["topic", "is", "top_1", true],
      ["topic", "is_not", "top_2", true],
      ["attributes.plan", "is", "gold", true],
      ["attributes.plan", "starts_with", "go", true],
      ["attributes.empty", "exists", true, false],
      ["attributes.none", "is_not", "x", true],
      ["attributes.toString", "exists", true, false],
      ["properties.amount", "is", "12", true],
      ["properties.coupon", "exists", false, true],
    ];
    for (const [field, op, value, expected] of chosen) {
      assert.equal(isChosen(leaf(field, op, value)), expected, `${field} ${op} ${value}`);
    }
  });

  it("combines all, any and not", () => {
    const [yes, no] = [leaf("tag", "is", "vip"), leaf("tag", "is", "none")];
    assert.equal(isChosen({ all: [yes, { not: no }] }), true);
    assert.equal(isChosen({ all: [yes, no] }), false);
    assert.equal(isChosen({ any: [no, yes] }), true);
    assert.equal(isChosen({ all: [] }), true);
    assert.equal(isChosen({ any: [] }), false);
  });

  it("is rejected with the path of the error", () => {
    const yes = leaf("tag", "is", "vip");
    let deep: object = yes;
    for (let depth = 0; depth <= FILTER_DEPTH_MAX; depth += 1) deep = { not: deep };
    const refused: [unknown, string][] = [
      [null, "filter"],
      [[], "filter"],
      [{}, "filter.field"],
      [{ all: [yes], any: [] }, "filter.any"],
      [{ all: yes }, "filter.all"],
      [{ all: [yes, { any: [leaf("tag", "like", "x")] }] }, "filter.all[1].any[0].op"],
      [{ not: leaf("tags", "is", "x") }, "filter.not.field"],
      [leaf("tag", "is", 5), "filter.value"],
      [leaf("tag", "is", " "), "filter.value"],
      [leaf("tag", "exists", "true"), "filter.value"],
      [leaf("created_at", "is", "2026-01-01T00:00:00Z"), "filter.op"],
      [leaf("created_at", "before", "yesterday"), "filter.value"],
      [leaf("opted_out", "is", "no"), "filter.value"],
      [leaf("phone_number", "is", "12"), "filter.value"],
      [leaf("attributes.", "is", "x"), "filter.field"],
      [leaf("name", "is", "x".repeat(501)), "filter.value"],
      [{ ...yes, extra: 1 }, "filter.extra"],
      [leaf("constructor", "is", "x"), "filter.field"],
      [deep, `filter${".not".repeat(FILTER_DEPTH_MAX)}`],
      [{ all: Array(FILTER_LEAVES_MAX + 1).fill(yes) }, "filter.all"],
    ];
    for (const [filter, param] of refused) {
      const parsed = parseFilter(filter);
      assert.equal(parsed.ok, false, JSON.stringify(filter).slice(0, 100));
      assert.equal(parsed.ok ? "" : parsed.param, param);
      assert.match(parsed.ok ? "" : parsed.reason, /\.$/);
    }
    const many = { any: [{ all: Array(30).fill(yes) }, { all: Array(21).fill(yes) }] };
    const parsed = parseFilter(many);
    assert.equal(parsed.ok ? "" : parsed.param, "filter.any[1].all[20]");
    assert.equal(parseFilter(leaf("properties.x", "is", "y")).ok, false);
    assert.equal(parseFilter({ not: 1 }, { param: "steps[2].filter" }).ok, false);
  });
});
