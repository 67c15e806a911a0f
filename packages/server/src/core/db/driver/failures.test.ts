import assert from "node:assert/strict";
import { test } from "node:test";
import { isRetryable, isUnavailable, isUniqueViolation, sqlStateOf } from "./failures.ts";

test("a row refused by a Citus worker is no database outage", () => {
  const workerError = (message: string) => Object.assign(new Error(message), { code: "XX000" });
  const twice = workerError('duplicate key value violates unique constraint "events_pkey_102142"');
  assert.equal(isUniqueViolation(twice), true);
  assert.equal(isUnavailable(twice), false);
  const wrong = workerError(
    'new row for relation "batches_1" violates check constraint "batches_mode_check"',
  );
  assert.equal(sqlStateOf(wrong), "23514");
  assert.equal(isUnavailable(workerError("cache lookup failed for relation 17")), true);
});

test("maps messages of Citus workers about copied rows to SQLSTATEs", () => {
  const workerError = (message: string) =>
    Object.assign(new Error(message), { code: "XX000", routine: "ReportCopyError" });
  assert.equal(isUnavailable(workerError("this text cannot be written")), false);
  assert.equal(sqlStateOf(workerError("this text cannot be written")), "P0001");
  assert.equal(isRetryable(workerError("deadlock detected")), true);
  for (const trouble of [
    'could not extend file "base/1/2": No space left on device',
    "canceling statement due to lock timeout",
    "canceling statement due to user request",
    "terminating connection due to administrator command",
    "out of memory",
    "cannot execute COPY FROM in a read-only transaction",
  ]) {
    assert.equal(isUnavailable(workerError(trouble)), true, trouble);
  }
});
