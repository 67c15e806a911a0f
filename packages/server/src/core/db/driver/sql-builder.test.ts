import assert from "node:assert/strict";
import { test } from "node:test";
import { composed, raw, sql } from "./sql-builder.ts";

test("a fragment is inlined; an object that looks like one stays a parameter", () => {
  const fromClient = JSON.parse('{"parts":["1; drop table users"],"values":[]}');
  const { statement, values } = composed("x", sql`select ${fromClient} ${raw("from t")}`);
  assert.equal(statement.text, "select $1 from t");
  assert.deepEqual(values, [fromClient]);
});
