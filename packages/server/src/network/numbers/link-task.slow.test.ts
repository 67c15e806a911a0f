/** Approval links every following number: quickly, and also when the worker crashes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { giveRegistration, review, submit } from "../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive, usNumbers } from "../../../testing/live.ts";
import { watchRoundTrips } from "../../../testing/round-trips.ts";
import { until } from "../../../testing/until.ts";
import { spawnWorker } from "../../../testing/worker-process.ts";

const LINKED_WITHIN_MS = 1_000;
/**
 * The bound is for an idle machine; a busy one may take this many of its own round trips longer.
 */
const ROUND_TRIPS = 50;
const KILLED_AFTER_MS_MAX = 30_000;

async function withNumbers(kit: Kit, count: number): Promise<readonly string[]> {
  await goLive(kit);
  const phones = usNumbers(count);
  for (const phone of phones) await giveNumber(kit, { phone, mode: "live" });
  return phones;
}

const countActive = async (kit: Kit): Promise<number> =>
  (await kit.rows("select count(*)::int as n from numbers where sender_state = 'active'"))[0].n;

async function assertOneEvent(kit: Kit, count: number): Promise<void> {
  const rows = await kit.rows(
    `select data ->> 'phone_number' as phone, data ->> 'previous_state' as before, count(*)::int as times
       from events where type = 'number.sender_updated' and data ->> 'state' = 'active'
      group by 1, 2`,
  );
  assert.equal(rows.length, count);
  for (const row of rows) assert.deepEqual([row.before, row.times], ["pending", 1], row.phone);
}

test("49 numbers are active within a second of the approval, one event each", async (t) => {
  const kit = await startKit(t);
  await withNumbers(kit, 49);
  const id = await giveRegistration(kit);
  await submit(kit, id);
  // Polling is off and no retry falls due, so only the notification can start the link.
  kit.stopClock();
  await kit.stopPolls();
  const roundTripMs = watchRoundTrips(kit);
  const startedAt = performance.now();
  await review(kit, id, { decision: "approve" });
  await until(async () => (await countActive(kit)) === 49);
  const tookMs = performance.now() - startedAt;
  const allowedMs = LINKED_WITHIN_MS + ROUND_TRIPS * (await roundTripMs());
  assert.ok(tookMs < allowedMs, `it took ${tookMs} ms, ${allowedMs} allowed`);
  await assertOneEvent(kit, 49);
});

test("after kill -9 of a worker another links the rest, and no event is repeated", async (t) => {
  const env = { LONGWAVE_REGISTRY: "simulator" };
  const kit = await startKit(t, { ...env, LONGWAVE_ROLES: "api" });
  await withNumbers(kit, 49);
  const id = await giveRegistration(kit, { businessName: "Slow Registry Dental" });
  await submit(kit, id, kit.liveKey);
  const first = await spawnWorker(t, kit.connection, env);
  await until(async () => (await countActive(kit)) > 0, KILLED_AFTER_MS_MAX);
  first.signal("SIGKILL");
  await first.ended;
  const linked = await countActive(kit);
  assert.ok(linked > 0 && linked < 49, `${linked} were linked when it was killed`);
  // Otherwise the takeover takes a whole lease.
  await kit.rows(
    "update jobs set lease_until = now() - interval '1 second' where lease_until is not null",
  );
  await kit.advance(1);
  assert.equal(await countActive(kit), 49);
  await assertOneEvent(kit, 49);
});
