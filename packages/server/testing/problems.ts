import assert from "node:assert/strict";
import type { Answer } from "./kit.ts";

const REQUEST_ID = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const LEAKS =
  /node_modules|\.ts:|\.js:|\bat \S+ \(|select |insert |update |relation |PostgreSQL|pg_/i;

/**
 * Asserts a complete error response: status, code, shape, request id (equal to the header), media type, no
 * caching, and no internals in the message. Checks `param` if given.
 */
export function assertProblem(
  answer: Answer,
  status: number,
  code: string,
  param?: string | null,
): void {
  const shown = `${answer.status} ${JSON.stringify(answer.body)}`;
  assert.equal(answer.status, status, shown);
  const error = answer.body?.error;
  assert.ok(error, shown);
  assert.equal(error.code, code, shown);
  assert.equal(typeof error.message, "string");
  assert.notEqual(error.message, "");
  assert.ok("param" in error, shown);
  if (param !== undefined) assert.equal(error.param, param, shown);
  assert.match(error.request_id, REQUEST_ID);
  assert.equal(answer.headers.get("x-request-id"), error.request_id);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.doesNotMatch(error.message, LEAKS);
}
