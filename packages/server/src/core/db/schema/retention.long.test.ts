import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import {
  assertNothingOld,
  forgetOld,
  leaveTraffic,
} from "../../../../testing/retention-fixtures.ts";

const DAY_SECONDS = 86_400;
const TEXTS = 5_000_000;
const TEXTS_AT_ONCE = 20_000;

test("sweeps delete all expired data of five million messages", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const startMs = kit.deps.clock.now();
  for (let done = 0; done < TEXTS; done += TEXTS_AT_ONCE) {
    // Spread over three weeks, one timestamp per part, so that ids differ.
    await leaveTraffic(kit, TEXTS_AT_ONCE, startMs + Math.floor(done / TEXTS_AT_ONCE) * 7_200_000);
  }
  await kit.advance(124 * DAY_SECONDS);
  await forgetOld(kit);
  await assertNothingOld(kit);
  const [messages] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(messages.n, TEXTS);
});
