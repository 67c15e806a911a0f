import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAnswer } from "../testing/openapi-check.ts";

const clock = { object: "clock", now: "2026-11-15T09:30:00.000Z" };

function errorBody(code: string) {
  return { error: { code, message: "No.", param: null, request_id: "req_1" } };
}

test("a declared response passes, and so do paths outside the document", () => {
  checkAnswer("GET", "/operator/v1/clock", 200, clock);
  checkAnswer("GET", "/operator/v1/clock", 404, errorBody("not_found"));
  checkAnswer("GET", "/healthz", 200, { anything: true });
});

test("an extra field, a missing field and a wrong type are caught", () => {
  const check = (body: unknown) => () => checkAnswer("GET", "/operator/v1/clock", 200, body);
  assert.throws(check({ ...clock, extra: 1 }), /additional properties/);
  assert.throws(check({ object: "clock" }), /required property 'now'/);
  assert.throws(check({ ...clock, now: "yesterday" }), /date-time/);
});

test("an undeclared status, an undeclared code and a code with another status are caught", () => {
  const check = (status: number, body: unknown) => () =>
    checkAnswer("GET", "/operator/v1/clock", status, body);
  assert.throws(check(201, clock), /answered 201, which its route does not declare/);
  assert.throws(check(409, errorBody("number_conflict")), /add it to the route's errors/);
  assert.throws(check(400, errorBody("not_found")), /another's/);
  assert.throws(check(404, { error: "not_found" }), /does not fit the document/);
});
