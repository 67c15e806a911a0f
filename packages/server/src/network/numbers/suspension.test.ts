/** Suspension and expiry of approved registrations: states, refusals, what waits, reinstatement. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, giveRegistration, review } from "../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, stock, usNumbers } from "../../../testing/live.ts";

const [A] = usNumbers(1) as [string];

async function liveKit(t: Parameters<typeof startKit>[0]) {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await goLive(kit);
  return kit;
}

const read = async (kit: Kit, phone: string) =>
  (await kit.request("GET", `/v1/numbers/${phone}`)).body.sender;
const state = async (kit: Kit, phone: string) => (await read(kit, phone)).state;
const readRegistration = async (kit: Kit, id: string) =>
  (await kit.request("GET", `/v1/registrations/${id}`)).body;
const live = (kit: Kit) => ({ key: kit.liveKey });
const senderMoves = async (kit: Kit) =>
  (await kit.rows("select data from events where type = 'number.sender_updated' order by seq")).map(
    ({ data }) => `${data.previous_state} → ${data.state}`,
  );

test("a suspension and an expiry after the approval stop the numbers until it is reinstated", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A);
  const id = await giveRegistration(kit);
  await approve(kit, id);
  await buy(kit, A, live(kit));
  await kit.advance(1);
  assert.equal(await state(kit, A), "active");
  const send = (more: object = {}) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { from: A, to: "+14155552671", body: "Hello", ...more },
    });
  const scheduled_at = new Date(kit.deps.clock.now() + 600_000).toISOString();
  assert.equal((await send({ scheduled_at })).status, 201);

  await review(kit, id, { decision: "suspend", note: "Complaints about last week's texts" });
  const suspended = await readRegistration(kit, id);
  assert.deepEqual(
    [suspended.status, suspended.rejection.code, suspended.rejection.note],
    ["suspended", "carrier.suspended", "Complaints about last week's texts"],
  );
  assert.match(suspended.guidance.what_happened, /suspended/);
  assert.match((await read(kit, A)).reason, /suspended/);
  assertRefused(await send(), 403, "sender_not_registered", "from");
  await kit.advance(700);
  const [due] = await kit.rows("select failure_code from messages order by created_at");
  assert.equal(due.failure_code, "sender_not_registered", "what waited does not leave either");

  await review(kit, id, { decision: "reinstate" });
  const reinstated = await readRegistration(kit, id);
  assert.deepEqual([reinstated.status, reinstated.rejection], ["approved", null]);
  assert.equal(await state(kit, A), "active", "its link holds, and is not made again");
  assert.equal((await send()).status, 202);

  await review(kit, id, { decision: "expire" });
  assert.equal((await readRegistration(kit, id)).rejection.code, "carrier.expired");
  assertRefused(await send(), 403, "sender_not_registered", "from");
  await review(kit, id, { decision: "reinstate", note: "Renewed" });
  await kit.advance(1);
  assert.equal((await send()).status, 202);
  assert.deepEqual((await senderMoves(kit)).slice(-5), [
    "active → action_needed",
    "action_needed → active",
    "active → action_needed",
    "action_needed → pending",
    "pending → active",
  ]);
});

test("only an approved registration is suspended, and only an expired one is submitted again", async (t) => {
  const kit = await liveKit(t);
  const id = await giveRegistration(kit);
  const decide = (body: object) => kit.operator("POST", `/registrations/${id}/review`, body);
  assertRefused(await decide({ decision: "suspend" }), 409, "invalid_state", null);
  await approve(kit, id);
  assertRefused(await decide({ decision: "reinstate" }), 409, "invalid_state", null);
  const coded = { decision: "suspend", code: "carrier.expired" };
  assertRefused(await decide(coded), 400, "invalid_request", "code");
  const recheck = () =>
    kit.request("POST", `/v1/registrations/${id}/recheck`, {
      ...live(kit),
      body: { reseller_id: "R1" },
    });
  await review(kit, id, { decision: "suspend" });
  assertRefused(await recheck(), 409, "invalid_state", null);
  await review(kit, id, { decision: "expire" });
  assert.equal((await recheck()).body.status, "ready");
  await approve(kit, id);
  await review(kit, id, { decision: "suspend" });
  await review(kit, id, { decision: "reject", code: "carrier.rejected" });
  assert.equal((await readRegistration(kit, id)).status, "rejected");
});
