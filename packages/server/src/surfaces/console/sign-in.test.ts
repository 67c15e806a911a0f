import assert from "node:assert/strict";
import { test } from "node:test";
import type { Base } from "../../core/base.ts";
import { systemClock } from "../../core/platform/clock.ts";
import { signIn } from "./sign-in.ts";

test("a sign-in holds no database connection while its password is hashed", async () => {
  const db = { query: async () => [], tx: () => assert.fail("a transaction was begun") };
  const deps = { clock: systemClock(), db } as unknown as Base;
  const given = { email: "nobody@example.com", password: "correct horse battery", ip: "::1" };
  const outcome = await signIn(deps, given, async () => null);
  assert.ok("problem" in outcome);
  assert.equal(outcome.problem.code, "invalid_credentials");
});
