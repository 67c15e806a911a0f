import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BATCH_FROM,
  control,
  makeBatch,
  phones,
  postBatch,
  readBatch,
} from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";

/** Runs no worker: due work runs when a test moves the clock. */
const NO_WORKER = { LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" };
const HOUR_MS = 3_600_000;

async function kitWithNumber(t: Parameters<typeof startKit>[0]): Promise<Kit> {
  const kit = await startKit(t, NO_WORKER);
  await giveNumber(kit);
  return kit;
}

const change = (kit: Kit, id: string, body: unknown) =>
  kit.request("PATCH", `/v1/batches/${id}`, { body });

test("a scheduled batch sends its changed body at its changed time", async (t) => {
  const kit = await kitWithNumber(t);
  const at = kit.deps.clock.now() + HOUR_MS;
  const recipients = [
    { to: "+14155550101", variables: { name: "Ada", city: "Paris" } },
    { to: "+14155550102", variables: { name: "Bea" } },
  ];
  const made = await postBatch(kit, {
    body: "Hi {{name}}",
    name: "Opening",
    recipients,
    scheduled_at: at,
    valid_for: 600,
  });
  const later = at + HOUR_MS;
  const changed = await change(kit, made.body.id, {
    name: null,
    body: "Dear {{name}} in {{city|town}}",
    scheduled_at: later,
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.deepEqual(
    [changed.body.name, changed.body.scheduled_at, changed.body.valid_for, changed.body.status],
    [null, new Date(later).toISOString(), 600, "scheduled"],
  );
  assert.deepEqual(await readBatch(kit, made.body.id), changed.body);
  await kit.advance(HOUR_MS / 1_000 + 60);
  assert.equal((await readBatch(kit, made.body.id)).status, "scheduled");
  await kit.advance(HOUR_MS / 1_000);
  assert.equal((await readBatch(kit, made.body.id)).status, "complete");
  const sent = await kit.rows("select body from messages where from_number = $1 order by body", [
    BATCH_FROM,
  ]);
  assert.deepEqual(sent, [{ body: "Dear Ada in Paris" }, { body: "Dear Bea in town" }]);
});

test("a body that a recipient lacks a variable for is refused, and changes nothing", async (t) => {
  const kit = await kitWithNumber(t);
  const recipients = [
    { to: "+14155550101", variables: { name: "Ada", city: "Paris" } },
    { to: "+14155550102", variables: { name: "Bea" } },
    { to: "+14155550103", variables: { name: "Cleo" } },
  ];
  const scheduled_at = kit.deps.clock.now() + HOUR_MS;
  const made = await postBatch(kit, { body: "Hi {{name}}", recipients, scheduled_at });
  const refused = await change(kit, made.body.id, { body: "{{name}} in {{city}}", name: "New" });
  assertRefused(refused, 400, "invalid_request", "body");
  assert.match(refused.body.error.message, /2 of 3 recipients\. The first is \+14155550102: /);
  const batch = await readBatch(kit, made.body.id);
  assert.deepEqual([batch.body, batch.name], ["Hi {{name}}", null]);
});

test("only a scheduled batch is changed, and only to a time ahead", async (t) => {
  const kit = await kitWithNumber(t);
  const scheduled_at = kit.deps.clock.now() + HOUR_MS;
  const { id } = await makeBatch(kit, phones(2), { scheduled_at });
  const past = await change(kit, id, { scheduled_at: kit.deps.clock.now() - 1 });
  assertRefused(past, 400, "invalid_request", "scheduled_at");
  const blank = await change(kit, id, { body: "  " });
  assertRefused(blank, 400, "invalid_request", "body");
  await control(kit, id, "pause");
  const paused = await change(kit, id, { name: "Late" });
  assertRefused(paused, 409, "invalid_state");
  assert.match(paused.body.error.message, /is paused; only one that is scheduled can be changed/);
  const sending = await makeBatch(kit, phones(2, 10));
  assertRefused(await change(kit, sending.id, { name: "Late" }), 409, "invalid_state");
});
