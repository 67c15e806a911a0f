/** Registrations of campaigns that carriers approved elsewhere: neither checked, filed nor paid here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { review, submit } from "../../../testing/give-registration.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, stock, usNumbers } from "../../../testing/live.ts";

// A registry that would decide by itself: nothing of these registrations may reach it.
const freshKit = freshAccounts({ LONGWAVE_ROLES: "api", LONGWAVE_REGISTRY: "simulator" });
const phones = usNumbers(20, "+1206558");
const NOTE = "Approved at the provider on 3 November.";

const INPUT = {
  business_name: "Hillside Dental",
  website: "https://hillside.example.com",
  use_case: "account_notification",
  draft: true,
};

async function liveNumber(kit: Kit): Promise<string> {
  const phone = phones.shift() ?? "";
  await goLive(kit);
  await stock(kit, phone);
  await buy(kit, phone, { key: kit.liveKey });
  return phone;
}

async function create(kit: Kit, more: Record<string, unknown> = {}) {
  const answer = await kit.request("POST", "/v1/registrations", { body: { ...INPUT, ...more } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

const read = async (kit: Kit, id: string) =>
  (await kit.request("GET", `/v1/registrations/${id}`)).body;
const decide = (kit: Kit, id: string, body: object) =>
  kit.operator("POST", `/registrations/${id}/review`, body);
const senderOf = async (kit: Kit, phone: string) =>
  (await kit.request("GET", `/v1/numbers/${phone}`)).body.sender;
const send = (kit: Kit, from: string) =>
  kit.request("POST", "/v1/messages", {
    key: kit.liveKey,
    body: { to: "+14155552671", from, body: "Hello" },
  });

test("a campaign approved elsewhere is submitted unchecked and free of charge, and its numbers send once approved", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  const draft = await create(kit, { campaign_id: "CABC123", brand_id: "BXYZ789" });
  assert.deepEqual(
    [draft.status, draft.campaign_id, draft.brand_id],
    ["draft", "CABC123", "BXYZ789"],
  );
  assert.match(draft.guidance.next_step, /^Submit it/);
  await submit(kit, draft.id);
  assert.deepEqual(await kit.rows("select 1 from ledger_entries where kind = 'registration'"), []);
  await kit.advance(3_600);
  assert.equal((await read(kit, draft.id)).status, "submitted", "no registry decides it");
  assertRefused(await send(kit, phone), 403, "sender_not_registered", "from");
  await review(kit, draft.id, { decision: "approve" });
  await kit.advance(1);
  assert.deepEqual(
    [(await senderOf(kit, phone)).state, (await senderOf(kit, phone)).registration_id],
    ["active", draft.id],
  );
  assert.equal((await send(kit, phone)).status, 202);
  const [row] = await kit.rows("select registry_reference, website_check from registrations");
  assert.deepEqual(row, { registry_reference: null, website_check: null });
});

test("the operator approves a draft at once by the campaign's id", async (t) => {
  const kit = await freshKit(t);
  const phone = await liveNumber(kit);
  const { id } = await create(kit);
  const answer = await decide(kit, id, {
    ...{ decision: "approve", override: true, note: NOTE },
    ...{ campaign_id: "CABC123", brand_id: "BXYZ789" },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { status, campaign_id, brand_id, history } = answer.body;
  assert.deepEqual([status, campaign_id, brand_id], ["approved", "CABC123", "BXYZ789"]);
  assert.deepEqual([history.at(-1).label, history.at(-1).note], ["Approved elsewhere", NOTE]);
  await kit.advance(1);
  assert.equal((await senderOf(kit, phone)).state, "active");
  const [entry] = await kit.rows(
    "select changes from audit_log where action = 'registration.reviewed'",
  );
  assert.deepEqual(entry.changes.campaign_id, { from: null, to: "CABC123" });

  await review(kit, id, { decision: "reject", code: "carrier.suspended" });
  assertRefused(await send(kit, phone), 403, "sender_not_registered", "from");
  const again = await decide(kit, id, { decision: "approve", override: true, note: NOTE });
  assert.deepEqual([again.status, again.body.campaign_id], [200, "CABC123"]);
  await kit.advance(1);
  assert.equal((await send(kit, phone)).status, 202);
});

test("without a campaign's id a draft is neither submitted nor approved", async (t) => {
  const kit = await freshKit(t);
  const { id } = await create(kit);
  const submitted = await kit.request("POST", `/v1/registrations/${id}/submit`);
  assertRefused(submitted, 409, "invalid_state", null);
  const override = { decision: "approve", override: true, note: NOTE };
  const refused = await decide(kit, id, override);
  assertRefused(refused, 409, "invalid_state", null);
  assert.match(refused.body.error.message, /Give campaign_id/);
  const unsaid = { decision: "approve", campaign_id: "CABC123" };
  assertRefused(await decide(kit, id, unsaid), 400, "invalid_request", "campaign_id");
  const brand = { decision: "reject", brand_id: "BXYZ789" };
  assertRefused(await decide(kit, id, brand), 400, "invalid_request", "brand_id");
  for (const campaign_id of ["", "C".repeat(65), "C\n1"]) {
    const answer = await kit.request("POST", "/v1/registrations", {
      body: { ...INPUT, campaign_id },
    });
    assertRefused(answer, 400, "invalid_request", "campaign_id");
  }
  assert.equal((await read(kit, id)).status, "draft");
});

test("a registration names its reseller, and a later correction keeps the other ids", async (t) => {
  const kit = await freshKit(t);
  const { id, reseller_id } = await create(kit, { reseller_id: "R1", brand_id: "B1" });
  assert.equal(reseller_id, "R1");
  const corrected = await kit.request("POST", `/v1/registrations/${id}/recheck`, {
    body: { reseller_id: "R2", brand_id: null },
  });
  assert.equal(corrected.status, 200, JSON.stringify(corrected.body));
  const { body } = await kit.operator("GET", `/registrations/${id}`);
  assert.deepEqual([body.reseller_id, body.brand_id], ["R2", "B1"]);
});
