import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnavailable, isUniqueViolation, sqlStateOf } from "./failures.ts";

test("a row that a worker of Citus refused is no fault of the database", () => {
  const told = (message: string) => Object.assign(new Error(message), { code: "XX000" });
  const twice = told('duplicate key value violates unique constraint "events_pkey_102142"');
  assert.equal(isUniqueViolation(twice), true);
  assert.equal(isUnavailable(twice), false);
  const wrong = told(
    'new row for relation "batches_1" violates check constraint "batches_mode_check"',
  );
  assert.equal(sqlStateOf(wrong), "23514");
  assert.equal(isUnavailable(told("cache lookup failed for relation 17")), true);
});
