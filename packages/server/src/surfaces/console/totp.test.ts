import assert from "node:assert/strict";
import { test } from "node:test";
import { base32, totpCode, totpStep, totpStepOf } from "./totp.ts";

const SECRET = Buffer.from("12345678901234567890");

test("codes match RFC 6238, appendix B (last six digits)", () => {
  for (const [seconds, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ] as const) {
    assert.equal(totpCode(SECRET, totpStep(seconds * 1000)), code);
  }
});

test("a code works once, up to one step early or late", () => {
  const now = 1_234_567_890_000;
  const step = totpStep(now);
  assert.equal(totpStepOf(SECRET, totpCode(SECRET, step), now, 0), step);
  assert.equal(totpStepOf(SECRET, totpCode(SECRET, step), now, step), null);
  assert.equal(totpStepOf(SECRET, totpCode(SECRET, step - 1), now, 0), step - 1);
  assert.equal(totpStepOf(SECRET, totpCode(SECRET, step + 2), now, 0), null);
});

test("a secret is encoded in base32, as authenticator apps expect", () => {
  assert.equal(base32(Buffer.from("foobar")), "MZXW6YTBOI");
});
