import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSerialize } from "./serializers.ts";

const Failure = {
  $id: "Failure",
  type: "object",
  properties: {
    code: { type: "string" },
    detail: { anyOf: [{ type: "object", properties: {} }, { type: "null" }] },
  },
  required: ["code"],
};
const failure = { anyOf: [Failure, { type: "null" }], description: "Why, or null." };
const Item = { type: "object", properties: { id: { type: "string" }, failure }, required: ["id"] };
const Page = {
  type: "object",
  properties: { data: { type: "array", items: Item }, anyOf: { type: "array", items: Item } },
};
const Either = { anyOf: [Item, Page] };

describe("a serialised answer", () => {
  const serialize = createSerialize({ 200: Page, 201: Either } as never);
  const written = (status: number, body: unknown) => JSON.parse(serialize(status, body));

  it("has null or an object where the schema allows either, at any depth", () => {
    const data = [
      { id: "a", failure: null },
      { id: "b", failure: { code: "blocked", detail: null } },
      { id: "c", failure: { code: "blocked", detail: {} } },
      { id: "d" },
    ];
    assert.deepEqual(written(200, { data }), { data });
  });

  it("drops fields outside the schema, also in an object that may be null", () => {
    const failed = { id: "a", failure: { code: "blocked", carrier_secret: "x" }, internal: 1 };
    assert.deepEqual(written(200, { data: [failed], internal: 1 }), {
      data: [{ id: "a", failure: { code: "blocked" } }],
    });
  });

  it("treats a field named anyOf as a field", () => {
    assert.deepEqual(written(200, { anyOf: [{ id: "a", failure: null }] }), {
      anyOf: [{ id: "a", failure: null }],
    });
  });

  it("equals JSON.stringify for an answer of two shapes, and for one without a schema", () => {
    const item = { id: "a", failure: null };
    assert.deepEqual(written(201, item), item);
    assert.deepEqual(written(404, { error: { code: "not_found" } }), {
      error: { code: "not_found" },
    });
  });
});
