import assert from "node:assert/strict";
import test from "node:test";
import type { OperatorAccount } from "@longwave/sdk";
import { limitChanges, limitsFormOf } from "./account-limits.ts";

const account = {
  live_access: "none",
  rate_limit: null,
  daily_message_quota: 2_000,
} as OperatorAccount;

test("an untouched form changes nothing, so no default is pinned", () => {
  assert.deepEqual(limitChanges(account, limitsFormOf(account)), {});
});

test("only the typed fields are saved; an emptied one follows the default again", () => {
  const form = limitsFormOf(account);
  assert.deepEqual(limitChanges(account, { ...form, rate: "50" }), { rate_limit: 50 });
  assert.deepEqual(limitChanges(account, { ...form, quota: " " }), { daily_message_quota: null });
  assert.deepEqual(limitChanges(account, { ...form, access: "granted" }), {
    live_access: "granted",
  });
});
