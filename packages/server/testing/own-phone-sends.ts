import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { nextDayMs } from "../src/core/platform/clock.ts";
import { toApiId } from "../src/core/platform/ids.ts";
import { giveNumber } from "./give-number.ts";
import { type Kit, startKit } from "./kit.ts";
import { createTestCarrier, type TestCarrier } from "./test-carrier.ts";

export const SERVICE_NUMBER = "+12065550150";
export const FROM = "+15005550100";
export const OWN_PHONE = "+14155552671";
export const CAP = 50;
export const ENV = { LONGWAVE_VERIFY_NUMBERS: SERVICE_NUMBER };

/** A sandbox account with a carrier and a verified phone, its clock stopped shortly after midnight UTC. */
export async function sandboxKit(
  t: TestContext,
  env: Readonly<Record<string, string>> = ENV,
): Promise<{ kit: Kit; carrier: TestCarrier }> {
  const carrier = createTestCarrier();
  carrier.window = 1_000;
  const kit = await startKit(t, env, { carriers: carrier });
  kit.stopClock();
  await nextDay(kit);
  await giveNumber(kit, { phone: FROM });
  await verify(kit, OWN_PHONE);
  return { kit, carrier };
}

export async function verify(kit: Kit, phone_number: string): Promise<void> {
  const path = `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`;
  assert.equal((await kit.operator("POST", path, { phone_number })).status, 201);
  await kit.advance(2);
}

export async function nextDay(kit: Kit): Promise<void> {
  const now = kit.deps.clock.now();
  await kit.advance(Math.ceil((nextDayMs(now) - now) / 1_000) + 60);
}

export const send = (kit: Kit, key = kit.testKey, more: object = {}) =>
  kit.request("POST", "/v1/messages", {
    key,
    body: { to: OWN_PHONE, from: FROM, body: "Hi", ...more },
  });
