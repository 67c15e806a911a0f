/** Deletion of bodies, and redaction after a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REDACTED_NUMBER } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { tablesWith } from "../../../testing/tables-with.ts";
import { until } from "../../../testing/until.ts";

const freshKit = freshAccounts();
const OURS = "+15005550100";
const PERSON = "+14155552671";
const DIGITS = PERSON.slice(1);
const DAY_SECONDS = 86_400;
const SECRET = "Blue heron";

async function kitWithNumber(t: Parameters<typeof freshKit>[0]): Promise<Kit> {
  const kit = await freshKit(t);
  await giveNumber(kit, { phone: OURS });
  return kit;
}

async function ok(kit: Kit, method: string, path: string, body?: object, headers = {}) {
  const answer = await kit.request(method, `/v1${path}`, { headers, ...(body ? { body } : {}) });
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const send = (kit: Kit, more: object = {}) =>
  kit.request("POST", "/v1/messages", { body: { from: OURS, to: PERSON, body: "Hello", ...more } });
const inDays = (kit: Kit, days: number) =>
  new Date(kit.deps.clock.now() + days * DAY_SECONDS * 1_000).toISOString();
const messagesOf = async (kit: Kit) =>
  (await ok(kit, "GET", "/messages?direction=outbound")).data as { id: string; status: string }[];

/** Deletes the bodies of all messages that have left, and says where the words still are. */
async function leftAfterDeletion(kit: Kit): Promise<string[]> {
  for (const { id } of await messagesOf(kit)) await ok(kit, "DELETE", `/messages/${id}/body`);
  return tablesWith(kit, SECRET);
}

test("a message's body can be deleted once it has left, its event with it", async (t) => {
  const kit = await kitWithNumber(t);
  const inbound = await ok(kit, "POST", "/test/inbound", {
    from: PERSON,
    to: OURS,
    body: "Secret",
  });
  const emptied = await ok(kit, "DELETE", `/messages/${inbound.id}/body`);
  assert.deepEqual([emptied.id, emptied.body, emptied.from], [inbound.id, "", PERSON]);
  assert.deepEqual(await tablesWith(kit, "Secret"), []);
  const queued = await send(kit, { to: "+15005550002" });
  assert.equal(queued.status, 202);
  assertProblem(
    await kit.request("DELETE", `/v1/messages/${queued.body.id}/body`),
    409,
    "invalid_state",
  );
  assertProblem(await kit.request("DELETE", "/v1/messages/msg_x/body"), 404, "not_found");
  const audit = await kit.rows(
    "select target_id from audit_log where action = 'message.body_deleted'",
  );
  assert.deepEqual(audit, [{ target_id: inbound.id }]);
});

test("with the body go a scheduled message's words, a batch row's variables and a hook's", async (t) => {
  const kit = await kitWithNumber(t);
  await send(kit, { body: SECRET, scheduled_at: inDays(kit, 1) });
  const batch = await ok(kit, "POST", "/batches", {
    ...{ from: OURS, body: "Hi {{name}}" },
    recipients: [{ to: "+14155552672", variables: { name: SECRET } }],
  });
  const declaration = {
    ...{ purpose: "messages", to: ["to"], body: "{{text}}" },
    signature: { type: "token", header: "x-secret" },
  };
  const hook = await ok(kit, "POST", "/hooks", { name: "Desk", from: OURS, declaration });
  const called = await fetch(kit.url + new URL(hook.url, kit.url).pathname, {
    method: "POST",
    headers: { "content-type": "application/json", "x-secret": hook.secret },
    body: JSON.stringify({ to: "+14155552673", text: SECRET }),
  });
  assert.equal(called.status, 200);
  await kit.advance(DAY_SECONDS + 5);
  await until(async () => (await ok(kit, "GET", `/batches/${batch.id}`)).status === "complete");
  const before = await tablesWith(kit, SECRET);
  for (const table of ["batch_recipients", "hook_messages", "messages", "scheduled_messages"]) {
    assert.ok(before.includes(table), table);
  }
  assert.deepEqual(await leftAfterDeletion(kit), []);
});

test("a repeated request is answered without the body that was deleted", async (t) => {
  const kit = await kitWithNumber(t);
  const key = { "idempotency-key": "once" };
  const body = { from: OURS, to: PERSON, body: SECRET };
  const sent = await ok(kit, "POST", "/messages", body, key);
  assert.ok((await tablesWith(kit, SECRET)).includes("idempotency_keys"));
  assert.deepEqual(await leftAfterDeletion(kit), []);
  const again = await ok(kit, "POST", "/messages", body, key);
  assert.deepEqual([again.id, again.body], [sent.id, ""]);
  assert.equal((await messagesOf(kit)).length, 1);
});

test("messages lose body and number after the days that the account sets", async (t) => {
  const kit = await kitWithNumber(t);
  const old = (await send(kit)).body;
  await ok(kit, "POST", "/test/inbound", { from: PERSON, to: OURS, body: "My name is Ada" });
  const account = await ok(kit, "PATCH", "/account", { redact_after_days: 10 });
  assert.equal(account.redact_after_days, 10);
  await kit.advance(9 * DAY_SECONDS);
  const recent = (await send(kit)).body;
  assert.equal((await ok(kit, "GET", `/messages/${old.id}`)).body, "Hello");
  await kit.advance(2 * DAY_SECONDS);
  const redacted = await ok(kit, "GET", `/messages/${old.id}`);
  assert.deepEqual([redacted.to, redacted.body, redacted.from], [REDACTED_NUMBER, "", OURS]);
  assert.equal((await ok(kit, "GET", `/messages/${recent.id}`)).body, "Hello");
  assert.deepEqual((await ok(kit, "GET", "/conversations")).data, []);
  for (const days of [6, 3_651, 1.5, "10"]) {
    const body = { redact_after_days: days };
    const answer = await kit.request("PATCH", "/v1/account", { body });
    assertProblem(answer, 400, "invalid_request", "redact_after_days");
  }
  assert.equal(
    (await ok(kit, "PATCH", "/account", { redact_after_days: null })).redact_after_days,
    null,
  );
});

test("a batch that is scheduled longer ahead than the days is redacted once it has ended", async (t) => {
  const kit = await kitWithNumber(t);
  await ok(kit, "PATCH", "/account", { redact_after_days: 7 });
  const recipients = [{ to: PERSON, variables: { name: SECRET } }];
  const batch = await ok(kit, "POST", "/batches", {
    ...{ from: OURS, body: "Hi {{name}}", recipients, scheduled_at: inDays(kit, 20) },
  });
  const later = { scheduled_at: inDays(kit, 20), body: SECRET };
  assert.equal((await send(kit, later)).status, 201);
  await kit.advance(9 * DAY_SECONDS);
  assert.ok((await tablesWith(kit, SECRET)).includes("batch_recipients"));
  await kit.advance(11 * DAY_SECONDS + 3_700);
  assert.equal((await ok(kit, "GET", `/batches/${batch.id}`)).status, "complete");
  await kit.advance(3_600);
  const held = ["batch_recipients", "scheduled_messages"];
  const left = await tablesWith(kit, DIGITS);
  assert.deepEqual(
    left.filter((name) => held.includes(name)),
    [],
  );
  assert.deepEqual(await kit.rows("select 1 from redaction_leftovers"), []);
});

test("after the days the number is left only where docs/personal-data.md says until when", async (t) => {
  const kit = await kitWithNumber(t);
  const pool = await ok(kit, "POST", "/pools", { name: "All", numbers: [OURS] });
  const metadata = { note: SECRET };
  await send(kit, { from: pool.id, body: SECRET, metadata });
  await send(kit, { body: SECRET, scheduled_at: inDays(kit, 1) });
  await ok(kit, "POST", "/verify", { phone: PERSON });
  await ok(kit, "POST", "/contacts", { phone_number: PERSON });
  const automation = await ok(kit, "POST", "/automations", {
    ...{ name: "Paid", trigger: { event: "paid" } },
    steps: [{ type: "wait", seconds: 60 }],
  });
  await ok(kit, "POST", "/track", {
    event: "paid",
    phone_number: PERSON,
    properties: { s: SECRET },
  });
  await kit.advance(2 * DAY_SECONDS);
  assert.ok((await ok(kit, "GET", `/automations/${automation.id}/runs`)).data.length > 0);
  for (const table of ["pool_choices", "scheduled_messages", "verification_decisions"]) {
    assert.ok((await tablesWith(kit, DIGITS)).includes(table), table);
  }
  await ok(kit, "PATCH", "/account", { redact_after_days: 7 });
  await kit.advance(8 * DAY_SECONDS);
  assert.deepEqual(await tablesWith(kit, SECRET), ["events"]);
  const numbered = new Set(await tablesWith(kit, DIGITS));
  for (const table of ["contact_search", "contacts", "events", "verification_phones"])
    numbered.delete(table);
  assert.deepEqual([...numbered], []);
  await kit.advance(90 * DAY_SECONDS);
  assert.deepEqual(await tablesWith(kit, DIGITS), ["contact_search", "contacts"]);
});
