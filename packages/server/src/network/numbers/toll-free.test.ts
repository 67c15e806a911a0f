/** Toll-free numbers where LONGWAVE_TOLL_FREE asks for verification. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { approve, giveRegistration, review, submit } from "../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, stock, usNumbers } from "../../../testing/live.ts";
import { type LinkedNumber, senderStatesOf } from "./sender-state.ts";

const VERIFY = { LONGWAVE_ROLES: "api", LONGWAVE_TOLL_FREE: "verify" };
const TOLL_FREE = "+18005552001";
const [LOCAL] = usNumbers(1) as [string];

async function liveKit(t: Parameters<typeof startKit>[0], env = VERIFY) {
  const kit = await startKit(t, env);
  await goLive(kit);
  await stock(kit, TOLL_FREE, LOCAL);
  return kit;
}

const live = (kit: Kit) => ({ key: kit.liveKey });
const senderOf = async (kit: Kit, phone: string) =>
  (await kit.request("GET", `/v1/numbers/${phone}`)).body.sender;
const send = (kit: Kit) =>
  kit.request("POST", "/v1/messages", {
    ...live(kit),
    body: { from: TOLL_FREE, to: "+14155552671", body: "Hello" },
  });
const link = (kit: Kit, phone: string, registration_id: string) =>
  kit.request("POST", `/v1/numbers/${encodeURIComponent(phone)}/registration`, {
    ...live(kit),
    body: { registration_id },
  });

test("a toll-free number is pending until its verification is approved, and refused until then", async (t) => {
  const kit = await liveKit(t);
  const { sender } = await buy(kit, TOLL_FREE, live(kit));
  assert.equal(sender.state, "pending");
  assert.match(sender.reason, /Submit a toll-free registration/);
  const refused = await send(kit);
  assertRefused(refused, 403, "sender_not_registered", "from");
  assert.equal(refused.headers.get("x-svc-sender-state"), "pending");

  const campaign = await giveRegistration(kit);
  await approve(kit, campaign);
  await buy(kit, LOCAL, live(kit));
  await kit.advance(1);
  assert.equal((await senderOf(kit, LOCAL)).state, "active");
  assert.equal((await senderOf(kit, TOLL_FREE)).state, "pending", "a campaign does not verify it");

  const verification = await giveRegistration(kit, { kind: "toll_free" });
  await submit(kit, verification);
  const submitted = await senderOf(kit, TOLL_FREE);
  assert.deepEqual([submitted.state, submitted.registration_id], ["pending", verification]);
  await review(kit, verification, { decision: "approve" });
  await kit.advance(1);
  assert.equal((await senderOf(kit, TOLL_FREE)).state, "active");
  assert.equal((await senderOf(kit, LOCAL)).registration_id, campaign);
  assert.equal((await send(kit)).status, 202);

  await review(kit, verification, { decision: "reject", code: "carrier.suspended" });
  assert.equal((await senderOf(kit, TOLL_FREE)).state, "action_needed");
  assertRefused(await send(kit), 403, "sender_not_registered", "from");
});

test("numbers and registrations of different kinds are not linked", async (t) => {
  const kit = await liveKit(t);
  const verification = await giveRegistration(kit, { kind: "toll_free" });
  await submit(kit, verification);
  const body = { phone_number: LOCAL, registration_id: verification };
  assertRefused(
    await kit.request("POST", "/v1/numbers", { ...live(kit), body }),
    400,
    "number_not_registerable",
    "registration_id",
  );
  await buy(kit, LOCAL, live(kit));
  await buy(kit, TOLL_FREE, live(kit));
  const refused = await link(kit, LOCAL, verification);
  assertRefused(refused, 400, "number_not_registerable", "registration_id");
  assert.equal((await link(kit, TOLL_FREE, verification)).status, 200);
});

test("the operator vouches for a toll-free number that its provider has verified", async (t) => {
  const kit = await liveKit(t);
  await buy(kit, TOLL_FREE, live(kit));
  const path = `/numbers/${encodeURIComponent(TOLL_FREE)}/sender`;
  const body = { state: "active", reason: "Verified at the provider", reference: "TFV-1" };
  const vouched = await kit.operator("POST", path, body);
  assert.equal(vouched.body.sender.state, "active");
  assert.equal((await send(kit)).status, 202);
  const ended = await kit.operator("DELETE", path);
  assert.equal(ended.body.sender.state, "pending");
});

test("by default a toll-free number is active when bought, and takes no registration", async (t) => {
  const kit = await liveKit(t, { LONGWAVE_ROLES: "api", LONGWAVE_TOLL_FREE: "active" });
  assert.equal((await buy(kit, TOLL_FREE, live(kit))).sender.state, "active");
  const verification = await giveRegistration(kit, { kind: "toll_free" });
  await submit(kit, verification);
  assert.equal((await senderOf(kit, TOLL_FREE)).state, "active");
  assertRefused(await link(kit, TOLL_FREE, verification), 400, "number_not_registerable", null);
});

test("a number bought before the setting keeps sending; without the setting every one does", () => {
  const bought: LinkedNumber = {
    ...{ id: "n", phone_number: TOLL_FREE, type: "toll_free", customer_id: null },
    ...{ registration_tied: false, is_vouched: false, registration_id: null },
    ...{ sender_state: "active", sender_reason: null },
    ...{ linked_to: null, link_id: null, link_failed_to: null },
  };
  const pending: LinkedNumber = { ...bought, sender_state: "pending" };
  const stateOf = (number: LinkedNumber, policy: "active" | "verify") =>
    senderStatesOf([number], [], "link", policy).get("n")?.sender_state;
  assert.equal(stateOf(bought, "verify"), "active");
  assert.equal(stateOf(pending, "verify"), "pending");
  assert.equal(stateOf(pending, "active"), "active");
});
