import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import {
  assertNothingOld,
  forgetOld,
  leaveTraffic,
} from "../../../../testing/retention-fixtures.ts";

const DAY_SECONDS = 86_400;

test("keeps only rows of kind `rule` three months after traffic", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const TEXTS = 1_500;
  for (let month = 0; month < 5; month += 1) {
    await leaveTraffic(kit, TEXTS, kit.deps.clock.now());
    await forgetOld(kit);
    await kit.advance(31 * DAY_SECONDS);
  }
  const count = async (table: string) =>
    (await kit.rows(`select count(*)::int as n from ${table}`))[0].n;
  await forgetOld(kit);
  await assertNothingOld(kit);
  assert.equal(await count("messages"), 5 * TEXTS);
  assert.equal(await count("idempotency_keys"), 0);
  // Months of 31 and 62 days ago. Whether the month of 93 days ago is dropped depends on the day of the month.
  const [shown] = await kit.rows(
    "select count(*)::int as n from submit_attempts where submitted_at > $1",
    [new Date(kit.deps.clock.now() - 90 * DAY_SECONDS * 1_000)],
  );
  assert.equal(shown.n, 2 * TEXTS, "what is shown for 90 days is there");
  assert.ok((await count("carrier_references")) <= 2 * TEXTS);
  assert.ok((await count("scheduled_messages")) <= 4 * TEXTS);
  await kit.advance(92 * DAY_SECONDS);
  await forgetOld(kit);
  await assertNothingOld(kit);
  assert.equal(await count("carrier_references"), 0);
  assert.equal(await count("carrier_inbox"), 0);
  assert.equal(await count("messages"), 5 * TEXTS);
});
