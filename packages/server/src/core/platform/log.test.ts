import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** A log with readable lines. */
function captured(level: string) {
  const lines: string[] = [];
  const log = createLog({ level, destination: { write: (line: string) => lines.push(line) } });
  return { log, text: () => lines.join("") };
}

const SECRET = "Zq7Zq7Zq7Zq7";

const BY_FIELD: readonly object[] = [
  { authorization: SECRET },
  { headers: { authorization: SECRET, cookie: SECRET } },
  { request: { headers: { "x-anything": SECRET } } },
  { body: SECRET },
  { message: { body: { to: SECRET } } },
  { text: SECRET },
  { code: SECRET },
  { verification: { code_digits: SECRET } },
  { key: SECRET },
  { endpoint: { secret: SECRET } },
  { carrier: { password: SECRET } },
  { session: { token: SECRET } },
  { err: Object.assign(new Error("duplicate key"), { detail: `Key (phone)=(${SECRET}) exists` }) },
];

const BY_LOOK: readonly string[] = [
  `Authorization: Bearer ${SECRET}`,
  `authorization: basic Basic ${SECRET}`,
  `the key svc_sk_live_${SECRET} was refused`,
  `the key svc_sk_test_${SECRET} was refused`,
  `an older one, sk_live_${SECRET}`,
  `signed with whsec_${SECRET}`,
  `operator op_${SECRET}`,
  `connecting to postgres://longwave:${SECRET}@db.example/longwave`,
];

test("credentials, texts and codes reach no line, at any level", () => {
  for (const level of LEVELS) {
    const { log, text } = captured("trace");
    for (const fields of BY_FIELD) log[level](fields, "something happened");
    for (const message of BY_LOOK) {
      log[level](message);
      log[level]({ err: new Error(message), note: message }, "test: failed");
      log[level]({ err: new Error("outer", { cause: new Error(message) }) }, "test: failed");
    }
    assert.equal(text().split("\n").length - 1, BY_FIELD.length + 3 * BY_LOOK.length);
    assert.ok(!text().includes(SECRET), text());
  }
});

test("facts that help to find a fault stay", () => {
  const { log, text } = captured("info");
  const err = Object.assign(new Error("deadlock detected"), { code: "40P01" });
  log.error({ err, request_id: "req_01" }, "http: request failed");
  assert.match(text(), /"code":"40P01"/);
  assert.match(text(), /"request_id":"req_01"/);
  assert.match(text(), /deadlock detected/);
});

test("a line below the level costs nothing and appears nowhere", () => {
  const { log, text } = captured("warn");
  log.info("test: quiet");
  assert.equal(text(), "");
});
