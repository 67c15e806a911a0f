import assert from "node:assert/strict";
import { test } from "node:test";
import { tableOf } from "./copy-of.ts";

test("recipients become the rows of a file, each variable a column", () => {
  const table = tableOf([
    { to: "+14155550101", variables: { first_name: "Ada" } },
    { to: "+14155550102", variables: { first_name: "Bea", city: "Paris" } },
  ]);
  assert.deepEqual(table, {
    columns: ["Phone", "first_name", "city"],
    rows: [
      ["+14155550101", "Ada", ""],
      ["+14155550102", "Bea", "Paris"],
    ],
    rowsOverLimit: 0,
  });
});

test("a variable whose name a column cannot have leaves the people out", () => {
  assert.equal(tableOf([{ to: "+14155550101", variables: { firstName: "Ada" } }]), null);
  assert.equal(tableOf([{ to: "+14155550101", variables: { phone: "1" } }]), null);
  assert.equal(tableOf([]), null);
});
