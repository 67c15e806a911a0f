/** Telnyx's 10DLC connector against the double of its API. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Brand } from "@longwave/contract";
import { giveNumber } from "../../../../../testing/give-number.ts";
import { giveRegistration, submit } from "../../../../../testing/give-registration.ts";
import { type Kit, type Lifetime, startKit } from "../../../../../testing/kit.ts";
import { assertRefused, goLive, usNumbers } from "../../../../../testing/live.ts";
import { startDouble } from "../../../../../testing/provider-double.ts";
import { testRegistry } from "../../../../../testing/registry-conformance.ts";
import { until } from "../../../../../testing/until.ts";
import { createOutgoing } from "../../../../core/platform/outgoing/index.ts";
import type { DoubleServer } from "../../../carriers/doubles/index.ts";
import { generatedCopy } from "../../copy.ts";
import type { RegistrationRow } from "../../registration-row.ts";
import type { Filing, Registry } from "../registry.ts";
import { createTelnyxRegistry } from "./connector.ts";

const BRAND: Brand = {
  ...{ legal_name: "Hillside Dental LLC", entity_type: "PRIVATE_PROFIT", ein: "98-7654321" },
  ...{ street: "1 Hill Street", city: "Reno", state: "NV", postal_code: "89501", country: "US" },
  ...{ vertical: "Healthcare", contact_email: "ann@hillside.example.com" },
  contact_phone: "+17755550123",
};
const CAMPAIGN = generatedCopy({
  business_name: "Hillside Dental",
  website: "https://hillside.example.com/",
  use_case: "mixed",
  given: {
    ...{ opt_in_url: null, privacy_url: null, terms_url: null, support_email: null },
    ...{ sample_messages: null, starter_messages: null, description: null, brand: {} },
  },
  website_check: null,
} as unknown as RegistrationRow).campaign;
const SIGNAL = new AbortController().signal;
const [PHONE] = usNumbers(1) as [string];
const PUBLIC_URL = "https://texts.example.com";

let made = 0;
function filing(businessName = "Hillside Dental", changes: Partial<Filing> = {}): Filing {
  made += 1;
  return {
    ...{ key: `filing-${made}`, submittedAtMs: 0, businessName },
    ...{ website: "https://hillside.example.com/", brand: BRAND, campaign: CAMPAIGN },
    ...{ brandId: null, resellerId: null },
    ...changes,
  };
}

function registryAt(t: Lifetime, double: DoubleServer, key = keyOf(double)): Registry {
  const outgoing = createOutgoing({
    now: () => performance.now(),
    userAgent: "test",
    checkAddress: () => null,
  });
  t.after(() => outgoing.close());
  return createTelnyxRegistry({ outgoing, url: double.url, key, callbackUrl: null });
}

function keyOf({ provider }: DoubleServer): string {
  return String(provider.env["TELNYX_API_KEY"]);
}

/** Sets a campaign's status at the double, as carriers do. */
const setStatus = (double: DoubleServer, campaignId: string, campaignStatus: string) =>
  askDouble(double, { campaignId, campaignStatus });

async function askDouble(double: DoubleServer, request: object): Promise<void> {
  const body = JSON.stringify(request);
  const answer = await fetch(`${double.url}/_double/10dlc`, { method: "POST", body });
  assert.equal(answer.status, 200);
}

async function telnyx(t: Lifetime): Promise<DoubleServer> {
  return (await startDouble(t, "telnyx", [{ name: "telnyx" }])).double;
}

/** Calls until the brand is registered. */
async function file(registry: Registry, given: Filing) {
  const first = await registry.file(given, SIGNAL);
  return first.kind === "unavailable" ? await registry.file(given, SIGNAL) : first;
}

/** Ends with the file: the suite's doubles serve several tests. */
const lifetime: Lifetime = { after: (work) => after(work) } as Lifetime;
testRegistry("telnyx", async () => {
  const double = await telnyx(lifetime);
  const registry = registryAt(lifetime, double);
  return {
    registry,
    // The double decides a campaign with its third read.
    letDecide: async () => {
      const list = await fetch(`${double.url}/v2/10dlc/campaign`, {
        headers: { authorization: `Bearer ${keyOf(double)}` },
      });
      const { records } = (await list.json()) as { records: { campaignId: string }[] };
      for (const { campaignId } of records) {
        for (let reads = 0; reads < 2; reads += 1) await registry.review(campaignId, SIGNAL);
      }
    },
    approvable: () => filing(),
    rejectable: () => filing("Reject Me Dental"),
    suspendable: () => filing(),
    letSuspend: (reference) => setStatus(double, reference, "TCR_SUSPENDED"),
    letReinstate: (reference) => setStatus(double, reference, "MNO_PROVISIONED"),
    countBrands: async () => {
      const list = await fetch(`${double.url}/v2/10dlc/brand`, {
        headers: { authorization: `Bearer ${keyOf(double)}` },
      });
      return ((await list.json()) as { records: object[] }).records.length;
    },
    letRemove: (phoneNumber) => askDouble(double, { phoneNumber }),
  };
});

test("a second campaign uses the brand of the first, and a refused brand is corrected, not bought again", async (t) => {
  const double = await telnyx(t);
  const registry = registryAt(t, double);
  const brands = async () => {
    const headers = { authorization: `Bearer ${keyOf(double)}` };
    const answer = await fetch(`${double.url}/v2/10dlc/brand`, { headers });
    return ((await answer.json()) as { records: Record<string, string>[] }).records;
  };
  assert.equal((await file(registry, filing())).kind, "filed");
  assert.equal((await file(registry, filing())).kind, "filed");
  const [brand, ...others] = await brands();
  assert.deepEqual([brand?.["companyName"], others], ["Hillside Dental LLC", []]);

  const refused = await file(registry, filing("Unverified Dental"));
  assert.ok(refused.kind === "rejected" && refused.code === "brand.ein_mismatch");
  const corrected = { ...BRAND, ein: "12-3456789" };
  const after = await file(registry, filing("Unverified Dental", { brand: corrected }));
  assert.equal(after.kind, "filed");
  assert.equal((await brands()).length, 2);

  const tcrId = brand?.["tcrBrandId"] ?? "";
  assert.equal((await file(registry, filing("Other name", { brandId: tcrId }))).kind, "filed");
  const foreign = filing("Other", { brandId: tcrId, brand: { ...BRAND, ein: "55-5555555" } });
  const taken = await file(registry, foreign);
  assert.ok(taken.kind === "rejected" && taken.code === "brand.duplicate", "whose brand it is not");
  const unknown = await file(registry, filing("Other", { brandId: "B999999" }));
  assert.ok(unknown.kind === "rejected" && /B999999/.test(unknown.note ?? ""));
});

test("fields that the registry needs are named before anything is filed", async (t) => {
  const registry = registryAt(t, await telnyx(t));
  for (const [brand, says] of [
    [{ ...BRAND, ein: null, city: " " }, /brand\.ein, brand\.city/],
    [{ ...BRAND, vertical: "Astrology" }, /brand\.vertical is one of AGRICULTURE/],
    [{ ...BRAND, entity_type: "SOLE_PROPRIETOR" as const }, /campaign_id/],
  ] as const) {
    const answer = await registry.file(filing("Hillside Dental", { brand }), SIGNAL);
    assert.ok(answer.kind === "rejected" && says.test(answer.note ?? ""), JSON.stringify(answer));
  }
});

test("a wrong key is retried, and not the customer's fault", async (t) => {
  const answer = await registryAt(t, await telnyx(t), "wrong").file(filing(), SIGNAL);
  assert.ok(answer.kind === "unavailable" && /tell the operator/.test(answer.reason));
});

/** A server that files with the double, and an account with a live number. */
async function telnyxKit(t: Lifetime): Promise<{ kit: Kit; double: DoubleServer }> {
  const double = await telnyx(t);
  const kit = await startKit(t, {
    ...{ LONGWAVE_ROLES: "api", LONGWAVE_REGISTRY: "telnyx", LONGWAVE_PUBLIC_URL: PUBLIC_URL },
    ...{ LONGWAVE_REGISTRY_URL: double.url, LONGWAVE_REGISTRY_KEY: keyOf(double) },
    LONGWAVE_ALLOW_TARGETS: new URL(double.url).host,
  });
  double.callbackOrigin = kit.url;
  await goLive(kit);
  await giveNumber(kit, { phone: PHONE, mode: "live" });
  return { kit, double };
}

const read = async (kit: Kit, id: string) =>
  (await kit.request("GET", `/v1/registrations/${id}`)).body;
const senderOf = async (kit: Kit) => (await kit.request("GET", `/v1/numbers/${PHONE}`)).body.sender;
const send = (kit: Kit) =>
  kit.request("POST", "/v1/messages", {
    key: kit.liveKey,
    body: { from: PHONE, to: "+14155552671", body: "Hello" },
  });
const referenceOf = async (kit: Kit): Promise<string> =>
  (await kit.rows("select registry_reference from registrations"))[0].registry_reference;

test("a live submission is filed and approved, and carriers suspend and reinstate it by a notification", async (t) => {
  const { kit, double } = await telnyxKit(t);
  const id = await giveRegistration(kit, { brand: BRAND });
  await submit(kit, id, kit.liveKey);
  await kit.advance(3_600);
  assert.equal((await read(kit, id)).status, "approved");
  await kit.advance(60);
  assert.equal((await senderOf(kit)).state, "active");
  assert.equal((await send(kit)).status, 202);

  const reference = await referenceOf(kit);
  await setStatus(double, reference, "TCR_SUSPENDED");
  await until(async () => {
    await kit.advance(1);
    return (await read(kit, id)).status === "suspended";
  });
  assertRefused(await send(kit), 403, "sender_not_registered", "from");
  await setStatus(double, reference, "MNO_PROVISIONED");
  await until(async () => {
    await kit.advance(1);
    return (await read(kit, id)).status === "approved";
  });
  assert.equal((await send(kit)).status, 202);
  const moves = (await read(kit, id)).history.map(({ label }: { label: string }) => label);
  assert.deepEqual(moves.slice(-2), [
    "Suspended by the carriers",
    "Active with the carriers again",
  ]);
});

test("a number that carriers remove needs action, and a change of the brand reaches its campaigns", async (t) => {
  const { kit, double } = await telnyxKit(t);
  const id = await giveRegistration(kit, { brand: BRAND });
  await submit(kit, id, kit.liveKey);
  await kit.advance(3_600);
  await kit.advance(60);
  assert.equal((await senderOf(kit)).state, "active");
  await askDouble(double, { phoneNumber: PHONE });
  await until(async () => {
    await kit.advance(1);
    return (await senderOf(kit)).state === "action_needed";
  });
  assert.match((await senderOf(kit)).reason, /removed the number/);
  assertRefused(await send(kit), 403, "sender_not_registered", "from");
  assert.equal((await read(kit, id)).status, "approved");
  const again = await kit.request("POST", `/v1/numbers/${PHONE}/registration`, {
    ...{ key: kit.liveKey, body: { registration_id: id } },
  });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  await kit.advance(60);
  assert.equal((await senderOf(kit)).state, "active", "linked again");

  const answer = await fetch(`${double.url}/v2/10dlc/brand`, {
    headers: { authorization: `Bearer ${keyOf(double)}` },
  });
  const [brand] = ((await answer.json()) as { records: { brandId: string }[] }).records;
  await askDouble(double, { brandId: brand?.brandId, campaignStatus: "TCR_SUSPENDED" });
  await until(async () => {
    await kit.advance(1);
    return (await read(kit, id)).status === "suspended";
  });
});

test("a lost notification is found within six hours, and the operator's own suspension stays", async (t) => {
  const { kit, double } = await telnyxKit(t);
  double.callbackOrigin = "http://127.0.0.1:9";
  const id = await giveRegistration(kit, { brand: BRAND });
  await submit(kit, id, kit.liveKey);
  await kit.advance(3_600);
  await setStatus(double, await referenceOf(kit), "TCR_EXPIRED");
  await kit.advance(7 * 3_600);
  await kit.advance(1);
  assert.equal((await read(kit, id)).status, "expired");
  await setStatus(double, await referenceOf(kit), "MNO_PROVISIONED");
  await kit.advance(7 * 3_600);
  await kit.advance(1);
  const { status, limits } = await read(kit, id);
  assert.deepEqual([status, limits.length], ["approved", 2]);
  await kit.operator("POST", `/registrations/${id}/limits`, { limits: [] });
  await kit.advance(7 * 3_600);
  await kit.advance(1);
  assert.deepEqual((await read(kit, id)).limits, [], "the operator's own limits stay");
  await kit.operator("POST", `/registrations/${id}/review`, { decision: "suspend" });
  await kit.advance(7 * 3_600);
  await kit.advance(1);
  assert.equal((await read(kit, id)).status, "suspended");
});

test("an address without the secret, and a notification that is no JSON, are refused", async (t) => {
  const { kit, double } = await telnyxKit(t);
  const id = await giveRegistration(kit, { brand: BRAND });
  await submit(kit, id, kit.liveKey);
  await kit.advance(60);
  const campaign = await fetch(`${double.url}/v2/10dlc/campaign/${await referenceOf(kit)}`, {
    headers: { authorization: `Bearer ${keyOf(double)}` },
  });
  const { webhookURL } = (await campaign.json()) as { webhookURL: string };
  const path = webhookURL.slice(PUBLIC_URL.length);
  const post = async (to: string, body: string) =>
    (await fetch(`${kit.url}${to}`, { method: "POST", body })).status;
  assert.equal(await post("/registry-callbacks/guess", "{}"), 404);
  assert.equal(await post(path, "no JSON"), 400);
  assert.equal(await post(path, JSON.stringify({ data: { payload: { campaignId: "x" } } })), 200);
  assert.equal(
    (await kit.rows("select 1 from jobs where task = 'registrations.follow'")).length,
    0,
  );
});

test("an approved campaign brings the rates and caps that its networks granted", async (t) => {
  const double = await telnyx(t);
  const registry = registryAt(t, double);
  const filed = await file(registry, filing());
  const reference = filed.kind === "filed" ? filed.reference : "";
  for (let reads = 0; reads < 2; reads += 1) await registry.review(reference, SIGNAL);
  assert.deepEqual(await registry.review(reference, SIGNAL), {
    kind: "approved",
    limits: [
      { network: "AT&T", segments_per_minute: 240, segments_per_day: null },
      { network: "T-Mobile", segments_per_minute: null, segments_per_day: 10_000 },
    ],
  });
});
