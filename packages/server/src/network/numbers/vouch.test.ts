/** The operator's word for numbers that are registered elsewhere, and approvals despite a check. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { approve, giveRegistration, review } from "../../../testing/give-registration.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, stock, usNumbers } from "../../../testing/live.ts";
import { toApiId } from "../../core/platform/ids.ts";

const freshKit = freshAccounts({ LONGWAVE_ROLES: "api" });
const phones = usNumbers(20, "+1206557");
const TO = "+14155552671";
const CAMPAIGN = { state: "active", reason: "Campaign at the provider", reference: "CMP-1" };

async function liveNumber(kit: Kit, phone = phones.shift() ?? ""): Promise<string> {
  await goLive(kit);
  await stock(kit, phone);
  await buy(kit, phone, { key: kit.liveKey });
  return phone;
}

const path = (phone: string) => `/numbers/${encodeURIComponent(phone)}/sender`;
const vouch = (kit: Kit, phone: string, body: object = CAMPAIGN) =>
  kit.operator("POST", path(phone), body);
const senderOf = async (kit: Kit, phone: string) =>
  (await kit.request("GET", `/v1/numbers/${phone}`)).body.sender;
const send = (kit: Kit, from: string, more: object = {}) =>
  kit.request("POST", "/v1/messages", {
    key: kit.liveKey,
    body: { to: TO, from, body: "Hello", ...more },
  });
const auditOf = (kit: Kit) =>
  kit.rows(
    "select action, target_id, changes from audit_log where action like 'number.vouch%' order by seq",
  );

test("a vouched number sends to the public until the operator takes the vouch back", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  assertRefused(await send(kit, phone), 403, "sender_not_registered", "from");
  const answer = await vouch(kit, phone);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.account_id, toApiId("account", kit.account.id));
  assert.equal(answer.body.vouch.reference, "CMP-1");
  const { state, reason } = await senderOf(kit, phone);
  assert.deepEqual([state, reason], ["active", "registered_elsewhere"]);
  assert.equal((await send(kit, phone)).status, 202);
  const scheduled_at = new Date(kit.deps.clock.now() + 3_600_000).toISOString();
  assert.equal((await send(kit, phone, { scheduled_at })).status, 201);

  const ended = await kit.operator("DELETE", path(phone));
  assert.deepEqual([ended.status, ended.body.vouch], [200, null]);
  assert.equal(ended.body.sender.state, "test_only");
  assertRefused(await send(kit, phone), 403, "sender_not_registered", "from");
  const moves = await kit.rows(
    "select data from events where type = 'number.sender_updated' order by seq",
  );
  assert.deepEqual(
    moves.map(({ data }) => [data.previous_state, data.state, data.reason]),
    [
      ["test_only", "active", "registered_elsewhere"],
      ["active", "test_only", null],
    ],
  );
  const reasons = { reason: CAMPAIGN.reason, reference: CAMPAIGN.reference };
  assert.deepEqual(await auditOf(kit), [
    {
      action: "number.vouched",
      target_id: phone,
      changes: {
        sender_state: { from: "test_only", to: "active" },
        reason: { from: null, to: reasons.reason },
        reference: { from: null, to: reasons.reference },
      },
    },
    {
      action: "number.vouch_ended",
      target_id: phone,
      changes: {
        sender_state: { from: "active", to: "test_only" },
        reason: { from: reasons.reason, to: null },
        reference: { from: reasons.reference, to: null },
      },
    },
  ]);
});

test("a vouch holds whatever the account's registrations say, and a repeated one changes nothing", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  await vouch(kit, phone);
  await vouch(kit, phone);
  assert.equal((await auditOf(kit)).length, 1);
  await vouch(kit, phone, { ...CAMPAIGN, reference: "CMP-2" });
  assert.deepEqual((await auditOf(kit))[1]?.changes, {
    reference: { from: "CMP-1", to: "CMP-2" },
  });
  const id = await giveRegistration(kit);
  await approve(kit, id);
  await review(kit, id, { decision: "reject" });
  assert.equal((await senderOf(kit, phone)).reason, "registered_elsewhere");
  assert.equal((await send(kit, phone)).status, 202);
});

test("taken back, a number follows the approved registration", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  await vouch(kit, phone);
  const id = await giveRegistration(kit);
  await approve(kit, id);
  const { body } = await kit.operator("DELETE", path(phone));
  assert.deepEqual([body.sender.state, body.sender.registration_id], ["pending", id]);
});

test("a release ends the vouch", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  await vouch(kit, phone);
  await kit.request("DELETE", `/v1/numbers/${phone}`, { key: kit.liveKey });
  assertRefused(await vouch(kit, phone), 404, "not_found");
  assertRefused(await kit.operator("DELETE", path(phone)), 404, "not_found");
});

test("a vouch names its number and says why", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  for (const [body, param] of [
    [{ ...CAMPAIGN, state: "pending" }, "state"],
    [{ state: "active", reference: "CMP-1" }, "reason"],
    [{ ...CAMPAIGN, reason: "" }, "reason"],
    [{ ...CAMPAIGN, reference: 7 }, "reference"],
    [{ ...CAMPAIGN, reference: "a\nb" }, "reference"],
  ] as const) {
    assertRefused(await vouch(kit, phone, body), 400, "invalid_request", param);
  }
  for (const unknown of ["+12065559999", "nobody", "%00"]) {
    assertRefused(await vouch(kit, unknown), 404, "not_found");
  }
  assertRefused(await kit.operator("DELETE", path(phone)), 404, "not_found");
  const canadian = await liveNumber(kit, "+14165552071");
  assertRefused(await vouch(kit, canadian), 400, "number_not_registerable");
  const asAccount = await kit.request("POST", `/operator/v1${path(phone)}`, {
    key: kit.liveKey,
    body: CAMPAIGN,
  });
  assert.equal(asAccount.status, 401);
  assert.deepEqual(await auditOf(kit), []);
});

test("the operator approves a registration despite its check with override and a note", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  const id = await giveRegistration(kit, { status: "checks_failed" });
  const decide = (body: object) => kit.operator("POST", `/registrations/${id}/review`, body);
  assertRefused(await decide({ decision: "approve" }), 409, "invalid_state");
  const override = { decision: "approve", override: true };
  assertRefused(await decide(override), 400, "invalid_request", "note");
  assertRefused(await decide({ ...override, note: " " }), 400, "invalid_request", "note");
  const rejects = { ...override, decision: "reject", note: "No." };
  assertRefused(await decide(rejects), 400, "invalid_request", "override");
  const answer = await decide({ ...override, note: "The pages are behind a login." });
  assert.deepEqual([answer.status, answer.body.status], [200, "approved"]);
  assert.equal(answer.body.history.at(-1).note, "The pages are behind a login.");
  const { state, registration_id } = await senderOf(kit, phone);
  assert.deepEqual([state, registration_id], ["pending", id]);
  assertRefused(await decide({ ...override, note: "Again." }), 409, "invalid_state");
  const [entry] = await kit.rows(
    "select changes from audit_log where action = 'registration.reviewed'",
  );
  assert.deepEqual(entry.changes.override, { from: null, to: true });
});
