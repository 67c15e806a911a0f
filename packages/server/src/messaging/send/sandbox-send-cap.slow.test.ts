import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import { nextDayMs } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";

const SERVICE_NUMBER = "+12065550150";
const FROM = "+15005550100";
const OWN_PHONE = "+14155552671";
const CAP = 50;
const ENV = { LONGWAVE_VERIFY_NUMBERS: SERVICE_NUMBER };

/** A sandbox account with a carrier and a verified phone, its clock stopped shortly after midnight UTC. */
async function sandboxKit(
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

async function verify(kit: Kit, phone_number: string): Promise<void> {
  const path = `/accounts/${toApiId("account", kit.account.id)}/verified_numbers`;
  assert.equal((await kit.operator("POST", path, { phone_number })).status, 201);
  await kit.advance(2);
}

async function nextDay(kit: Kit): Promise<void> {
  const now = kit.deps.clock.now();
  await kit.advance(Math.ceil((nextDayMs(now) - now) / 1_000) + 60);
}

const send = (kit: Kit, key = kit.testKey, more: object = {}) =>
  kit.request("POST", "/v1/messages", {
    key,
    body: { to: OWN_PHONE, from: FROM, body: "Hi", ...more },
  });

test("two processes together really send 50 sandbox messages a UTC day, and simulate the others", async (t) => {
  const { kit, carrier } = await sandboxKit(t);
  const second = createTestCarrier();
  second.window = 1_000;
  const other = await startKitOn(t, kit.connection, ENV, { carriers: second });
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) => send(index % 2 === 0 ? kit : other, kit.testKey)),
  );
  assert.ok(answers.every(({ status }) => status === 201 || status === 202));
  assert.equal(answers.filter(({ body }) => body.simulated === false).length, CAP);
  await kit.advance(1);
  assert.equal(carrier.submitted.length + second.submitted.length, CAP);
  assert.equal((await send(kit)).body.simulated, true);
  await nextDay(kit);
  assert.equal((await send(kit)).body.simulated, false, "the next day counts anew");
});
