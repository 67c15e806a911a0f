/** The simulated registry by itself, and live registrations filed with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REGISTRATION_KINDS } from "@longwave/contract";
import { giveNumber } from "../../../../testing/give-number.ts";
import {
  approve,
  giveRegistration,
  review,
  submit,
} from "../../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import { goLive, usNumbers } from "../../../../testing/live.ts";
import { testRegistry } from "../../../../testing/registry-conformance.ts";
import { shiftedClock } from "../../../core/platform/clock.ts";
import { generatedCopy } from "../copy.ts";
import type { RegistrationRow } from "../registration-row.ts";
import type { Filing, LinkAnswer, Registry } from "./registry.ts";
import { createSimulatedRegistry } from "./simulated.ts";

const ENV = { LONGWAVE_ROLES: "api", LONGWAVE_REGISTRY: "simulator" };

testRegistry("simulator", async () => {
  const clock = shiftedClock();
  let made = 0;
  const filing = (businessName: string): Filing => {
    made += 1;
    return {
      key: `filing-${made}`,
      submittedAtMs: clock.now(),
      businessName,
      website: "https://example.com/",
      ...{ brand: {}, brandId: null, resellerId: null },
      campaign: CAMPAIGN,
    };
  };
  return {
    registry: createSimulatedRegistry({ clock }),
    letDecide: async () => clock.shiftTo(clock.offsetMs() + 60_000),
    approvable: () => filing("Hillside Dental"),
    rejectable: () => filing("Reject Me (optin.generic)"),
    suspendable: () => filing("Suspend Me Dental"),
    letSuspend: async () => clock.shiftTo(clock.offsetMs() + 86_400_000),
    letReinstate: async () => clock.shiftTo(clock.offsetMs() + 86_400_000),
  };
});

const CAMPAIGN = generatedCopy({
  business_name: "Hillside Dental",
  website: "https://example.com/",
  use_case: "mixed",
  given: {
    ...{ opt_in_url: null, privacy_url: null, terms_url: null, support_email: null },
    ...{ sample_messages: null, starter_messages: null, description: null, brand: {} },
  },
  website_check: null,
} as unknown as RegistrationRow).campaign;

const [PHONE] = usNumbers(1) as [string];

async function registryKit(t: Parameters<typeof startKit>[0]) {
  const kit = await startKit(t, ENV);
  await goLive(kit);
  await giveNumber(kit, { phone: PHONE, mode: "live" });
  return kit;
}

const readRegistration = async (kit: Kit, id: string) =>
  (await kit.request("GET", `/v1/registrations/${id}`)).body;
const sender = async (kit: Kit) => (await kit.request("GET", `/v1/numbers/${PHONE}`)).body.sender;
const senderMoves = async (kit: Kit) =>
  (await kit.rows("select data from events where type = 'number.sender_updated' order by seq")).map(
    ({ data }) => `${data.previous_state} → ${data.state}`,
  );
const labels = (registration: { history: { label: string; actor: string }[] }) =>
  registration.history.map(({ actor, label }) => `${actor}: ${label}`);

test("the registry reviews and approves a live submission, and its number is linked", async (t) => {
  const kit = await registryKit(t);
  const id = await giveRegistration(kit, { businessName: "Slow Review Dental" });
  await submit(kit, id, kit.liveKey);
  await kit.advance(3_600);
  assert.equal((await readRegistration(kit, id)).status, "in_review");
  assert.equal((await sender(kit)).state, "pending");
  await kit.advance(3 * 86_400);
  const approved = await readRegistration(kit, id);
  assert.equal(approved.status, "approved");
  assert.deepEqual(labels(approved), [
    "customer: The check passed",
    "customer: Submitted for review",
    "system: Filed with the registry",
    "system: In review with the carriers",
    "system: Approved",
  ]);
  assert.equal((await sender(kit)).state, "active");
  assert.deepEqual(await senderMoves(kit), ["test_only → pending", "pending → active"]);
  assert.deepEqual(await kit.rows("select * from jobs"), []);
});

test("a registry rejection has its code, and the next submission is filed anew", async (t) => {
  const kit = await registryKit(t);
  const id = await giveRegistration(kit, { businessName: "Reject Me (optin.generic)" });
  await submit(kit, id, kit.liveKey);
  await kit.advance(60);
  const rejected = await readRegistration(kit, id);
  assert.equal(rejected.status, "rejected");
  assert.equal(rejected.rejection.code, "optin.generic");
  assert.equal((await sender(kit)).state, "action_needed");
  const [before] = await kit.rows("select registry_reference from registrations");
  const again = await kit.request("POST", `/v1/registrations/${id}/recheck`, {
    key: kit.liveKey,
    body: {
      sample_messages: [
        "Reject Me (optin.generic): your appointment is tomorrow at 2:30 PM.",
        "Reject Me (optin.generic): we are closed on Monday and open again on Tuesday.",
      ],
    },
  });
  assert.equal(again.body.status, "ready", JSON.stringify(again.body.sample_check));
  assert.equal((await sender(kit)).state, "test_only");
  await submit(kit, id, kit.liveKey);
  await kit.advance(60);
  const [after] = await kit.rows("select registry_reference, submissions from registrations");
  assert.equal(after.submissions, 2);
  assert.notEqual(after.registry_reference, before.registry_reference);
});

test("the server retries a failing registry with growing delays, links included", async (t) => {
  const kit = await registryKit(t);
  const id = await giveRegistration(kit, { businessName: "Flaky Registry Dental" });
  await submit(kit, id, kit.liveKey);
  const approved = async () => (await readRegistration(kit, id)).status === "approved";
  for (let waits = 0; waits < 300 && !(await approved()); waits += 1) await kit.advance(1);
  assert.ok(await approved());
  const waiting = await sender(kit);
  assert.equal(waiting.state, "pending");
  assert.match(waiting.reason, /tried again: The registry did not answer\.$/);
  await kit.advance(4);
  assert.equal((await sender(kit)).state, "pending", "five seconds until the second try");
  await kit.advance(40);
  assert.equal((await sender(kit)).state, "active");
  assert.deepEqual(await senderMoves(kit), ["test_only → pending", "pending → active"]);
});

test("the server polls a registry that works on a link for days until it has decided", async (t) => {
  const answers: LinkAnswer[] = [{ kind: "pending", reason: "The registry assigns the number." }];
  const registry: Registry = {
    ...createSimulatedRegistry({ clock: shiftedClock() }),
    link: async () => answers.at(-1) ?? NO_ANSWER,
  };
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" }, { registry });
  await goLive(kit);
  await giveNumber(kit, { phone: PHONE, mode: "live" });
  const id = await giveRegistration(kit);
  await submit(kit, id, kit.liveKey);
  await review(kit, id, { decision: "approve" });
  await kit.rows("update registrations set registry_reference = 'known'");
  await kit.advance(2 * 86_400);
  const waiting = await sender(kit);
  assert.equal(waiting.state, "pending");
  assert.match(waiting.reason, /assigns the number/);
  answers.push({ kind: "linked" });
  await kit.advance(3_700);
  assert.equal((await sender(kit)).state, "active");
});

test("a refused link needs action, and linking again retries", async (t) => {
  const kit = await registryKit(t);
  const id = await giveRegistration(kit, { businessName: "Refuse Links Dental" });
  await submit(kit, id, kit.liveKey);
  await kit.advance(120);
  const refused = await sender(kit);
  assert.deepEqual([refused.state, refused.registration_id], ["action_needed", id]);
  assert.match(refused.reason, /links no number/);
  const link = () =>
    kit.request("POST", `/v1/numbers/${PHONE}/registration`, {
      key: kit.liveKey,
      body: { registration_id: id },
    });
  assert.equal((await link()).body.sender.state, "pending");
  await kit.advance(10);
  assert.deepEqual((await senderMoves(kit)).slice(-2), [
    "action_needed → pending",
    "pending → action_needed",
  ]);
  await kit.rows("update registrations set registry_reference = null");
  await link();
  await kit.advance(1);
  assert.equal((await sender(kit)).state, "active");
});

test("with a registry that never answers the link fails, and the operator can still decide", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" }, { registry: SILENT });
  await goLive(kit);
  await giveNumber(kit, { phone: PHONE, mode: "live" });
  const id = await giveRegistration(kit);
  await submit(kit, id, kit.liveKey);
  await kit.advance(3_600);
  assert.equal((await readRegistration(kit, id)).status, "submitted");
  await review(kit, id, { decision: "approve" });
  await kit.rows("update registrations set registry_reference = 'known'");
  await kit.advance(4 * 3_600);
  const given = await sender(kit);
  assert.equal(given.state, "action_needed");
  assert.match(given.reason, /could not be linked .* Link it again to retry/);
  assert.deepEqual(await senderMoves(kit), ["test_only → pending", "pending → action_needed"]);
  const [row] = await kit.rows("select attempts from jobs where task = 'numbers.link'");
  assert.equal(row.attempts, 6, "five seconds to two hours apart");
});

const NO_ANSWER = { kind: "unavailable", reason: "The registry did not answer." } as const;
const SILENT: Registry = {
  name: "silent",
  kinds: REGISTRATION_KINDS,
  file: async () => NO_ANSWER,
  review: async () => NO_ANSWER,
  link: async () => NO_ANSWER,
  unlink: async () => NO_ANSWER,
};

test("a test key submission is not filed: the operator decides, and no live number follows", async (t) => {
  const kit = await registryKit(t);
  const id = await giveRegistration(kit);
  await submit(kit, id, kit.testKey);
  await kit.advance(86_400);
  assert.equal((await readRegistration(kit, id)).status, "submitted");
  await review(kit, id, { decision: "approve" });
  await kit.advance(1);
  assert.equal((await readRegistration(kit, id)).status, "approved");
  assert.equal((await sender(kit)).state, "test_only");
});

test("the registry unlinks a released number", async (t) => {
  const calls: string[] = [];
  const simulated = createSimulatedRegistry({ clock: shiftedClock() });
  const registry = {
    ...simulated,
    unlink: async (reference: string, phone: string) => {
      calls.push(`${reference} ${phone}`);
      return calls.length < 3 ? NO_ANSWER : ({ kind: "unlinked" } as const);
    },
  };
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" }, { registry });
  await goLive(kit);
  await giveNumber(kit, { phone: PHONE, mode: "live" });
  const id = await giveRegistration(kit);
  await approve(kit, id);
  await kit.advance(1);
  await kit.rows("update registrations set registry_reference = 'ref'");
  await kit.request("DELETE", `/v1/numbers/${PHONE}`, { key: kit.liveKey });
  await kit.advance(600);
  assert.deepEqual(calls, Array(3).fill(`ref ${PHONE}`));
});
