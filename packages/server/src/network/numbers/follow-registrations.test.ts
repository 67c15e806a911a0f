/** Sender states from the first purchase to a revocation: states, events, refusals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { approve, giveRegistration, review, submit } from "../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import {
  assertRefused,
  buy,
  goLive,
  secondAccount,
  stock,
  usNumbers,
} from "../../../testing/live.ts";
import { retried } from "../../../testing/retried.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { accountRegistration, senderStatesOf } from "./sender-state.ts";

const NO_WORKER = { LONGWAVE_ROLES: "api" };
const [A, B, C] = usNumbers(3) as [string, string, string];
const CANADA = "+14165552000";

async function liveKit(t: Parameters<typeof startKit>[0], env = NO_WORKER) {
  const kit = await startKit(t, env);
  await goLive(kit);
  return kit;
}

const read = async (kit: Kit, phone: string) =>
  (await kit.request("GET", `/v1/numbers/${phone}`)).body.sender;
const state = async (kit: Kit, phone: string) => (await read(kit, phone)).state;
const live = (kit: Kit) => ({ key: kit.liveKey });

/** State changes in a number's events, each as before → after. */
async function senderMoves(kit: Kit, phone: string): Promise<string[]> {
  const rows = await kit.rows(
    `select data from events where type = 'number.sender_updated' and data ->> 'phone_number' = $1
      order by seq`,
    [phone],
  );
  return rows.map(({ data }) => `${data.previous_state} → ${data.state}`);
}

const link = (kit: Kit, phone: string, registration_id: unknown, key = kit.liveKey) =>
  kit.request("POST", `/v1/numbers/${encodeURIComponent(phone)}/registration`, {
    key,
    body: { registration_id },
  });

test("numbers follow the account's registration, also numbers bought before it, with one event per change", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A, B, CANADA);
  await buy(kit, A, live(kit));
  assert.equal((await buy(kit, CANADA, live(kit))).sender.state, "active");
  assert.equal(await state(kit, A), "test_only");
  const id = await giveRegistration(kit);
  await submit(kit, id);
  const pending = await read(kit, A);
  assert.deepEqual([pending.state, pending.registration_id], ["pending", id]);
  await review(kit, id, { decision: "in_review" });
  assert.deepEqual(await senderMoves(kit, A), ["test_only → pending"], "in_review emits no event");
  await review(kit, id, { decision: "approve" });
  assert.equal(await state(kit, A), "pending", "until it is linked");
  await kit.advance(1);
  assert.equal(await state(kit, A), "active");
  assert.deepEqual(await senderMoves(kit, A), ["test_only → pending", "pending → active"]);

  const bought = await buy(kit, B, live(kit));
  assert.deepEqual([bought.sender.state, bought.sender.registration_id], ["pending", id]);
  await kit.advance(1);
  assert.deepEqual(await senderMoves(kit, B), ["pending → active"]);

  await review(kit, id, { decision: "reject", code: "content.prohibited_debt" });
  assert.match((await read(kit, A)).reason, /rejected/);
  for (const phone of [A, B])
    assert.equal((await senderMoves(kit, phone)).at(-1), "active → action_needed");
  assert.deepEqual(await senderMoves(kit, CANADA), []);
  assert.equal(await state(kit, CANADA), "active");
  await kit.advance(3_600);
  assert.equal((await senderMoves(kit, A)).length, 3, "and no event is emitted twice");
});

test("revocation moves numbers to action_needed although another registration is ready", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A, B);
  const first = await giveRegistration(kit);
  await approve(kit, first);
  await buy(kit, A, live(kit));
  await kit.advance(1);
  const second = await giveRegistration(kit);
  const recheck = { ...live(kit), body: { samples_confirmed: true } };
  await kit.request("POST", `/v1/registrations/${second}/recheck`, recheck);
  await review(kit, first, { decision: "reject" });
  const revoked = await read(kit, A);
  assert.deepEqual([revoked.state, revoked.registration_id], ["action_needed", first]);
  assert.equal((await buy(kit, B, live(kit))).sender.state, "test_only", "it never was approved");
  assert.equal(await state(kit, A), "action_needed", "also after a purchase");
  await approve(kit, second);
  await kit.advance(1);
  const relinked = await read(kit, A);
  assert.deepEqual([relinked.state, relinked.registration_id], ["active", second]);
  assert.deepEqual((await senderMoves(kit, A)).slice(-3), [
    "active → action_needed",
    "action_needed → pending",
    "pending → active",
  ]);
});

test("a ready registration shows on numbers, and a second one leaves linked numbers alone", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A, B);
  await buy(kit, A, live(kit));
  const first = await giveRegistration(kit);
  await kit.request("POST", `/v1/registrations/${first}/recheck`, {
    body: { samples_confirmed: true },
  });
  const ready = await read(kit, A);
  assert.deepEqual([ready.state, ready.registration_id], ["test_only", first]);
  await approve(kit, first);
  await kit.advance(1);
  const second = await giveRegistration(kit);
  await submit(kit, second);
  assert.equal((await read(kit, A)).registration_id, first, "the only approved one");
  await review(kit, second, { decision: "approve" });
  await kit.advance(1);
  assert.deepEqual(await senderMoves(kit, A), ["test_only → pending", "pending → active"]);
  assert.equal((await read(kit, A)).registration_id, first);
  const bought = await buy(kit, B, { ...live(kit), body: { registration_id: first } });
  assert.equal(bought.sender.registration_id, first);
});

test("the refusal names the sender state on every sending path", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A);
  await buy(kit, A, live(kit));
  const to = "+14155552671";
  const later = new Date(kit.deps.clock.now() + 60_000).toISOString();
  const refusals = async (expected: string) => {
    const message = { to, from: A, body: "Hello" };
    const calls = [
      kit.request("POST", "/v1/messages", { ...live(kit), body: message }),
      kit.request("POST", "/v1/messages", {
        ...live(kit),
        body: { ...message, scheduled_at: later },
      }),
      kit.request("POST", "/v1/verify", { ...live(kit), body: { phone: to, from: A } }),
    ];
    for (const answer of await Promise.all(calls)) {
      assertRefused(answer, 403, "sender_not_registered", "from");
      assert.equal(answer.headers.get("x-svc-sender-state"), expected);
    }
    const batch = await kit.request("POST", "/v1/batches", {
      ...live(kit),
      body: { from: A, body: "Hello", recipients: [{ to }] },
    });
    await kit.advance(1);
    const rows = await kit.request("GET", `/v1/batches/${batch.body.id}/recipients`, live(kit));
    assert.deepEqual(
      rows.body.data.map((row: { status: string; failure: { code: string } }) => [
        row.status,
        row.failure.code,
      ]),
      [["failed", "sender_not_registered"]],
    );
  };
  await refusals("test_only");
  const id = await giveRegistration(kit);
  await submit(kit, id);
  await refusals("pending");
  await review(kit, id, { decision: "reject" });
  await refusals("action_needed");
  const [row] = await kit.rows("select count(*)::int as texts from messages");
  assert.equal(row.texts, 0);
});

test("due messages are checked again: a number that lost its registration sends nothing", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A);
  const id = await giveRegistration(kit);
  await approve(kit, id);
  await buy(kit, A, live(kit));
  await kit.advance(1);
  const scheduled_at = new Date(kit.deps.clock.now() + 60_000).toISOString();
  const { status, body } = await kit.request("POST", "/v1/messages", {
    ...live(kit),
    body: { to: "+14155552671", from: A, body: "Later", scheduled_at },
  });
  assert.equal(status, 201, JSON.stringify(body));
  await review(kit, id, { decision: "reject" });
  await kit.advance(61);
  const due = await kit.request("GET", `/v1/scheduled_messages/${body.id}`, live(kit));
  assert.deepEqual([due.body.status, due.body.failure.code], ["failed", "sender_not_registered"]);
});

test("POST /numbers/{id}/registration refuses without changing anything", async (t) => {
  const kit = await liveKit(t);
  const other = await secondAccount(kit);
  await stock(kit, A, B, CANADA, "+18885552000");
  for (const phone of [A, B, CANADA, "+18885552000"]) await buy(kit, phone, live(kit));
  await giveNumber(kit, { phone: "+15005550100" });
  const first = await giveRegistration(kit);
  await approve(kit, first);
  await kit.advance(1);
  const second = await giveRegistration(kit);
  const foreign = await giveRegistration(other);
  const before = await kit.rows("select * from numbers order by id");

  assertRefused(await link(kit, A, first, kit.testKey), 403, "live_access_required");
  for (const phone of ["+12065559999", "nonsense", "+442079460000"])
    assertRefused(await link(kit, phone, first), 404, "not_found");
  for (const phone of ["+15005550100", CANADA, "+18885552000"])
    assertRefused(await link(kit, phone, first), 400, "number_not_registerable");
  for (const id of [foreign, "reg_01jd0000000000000000000000", "nonsense"])
    assertRefused(await link(kit, A, id), 400, "unknown_registration", "registration_id");
  for (const id of [null, 5, undefined])
    assertRefused(await link(kit, A, id), 400, "invalid_request", "registration_id");
  const extra = await kit.request("POST", `/v1/numbers/${A}/registration`, {
    ...live(kit),
    body: { registration_id: first, colour: "red" },
  });
  assertRefused(extra, 400, "invalid_request", "colour");
  assertRefused(await link(kit, A, second), 409, "number_conflict");
  assert.deepEqual(await kit.rows("select * from numbers order by id"), before);

  await kit.request("DELETE", `/v1/numbers/${B}`, live(kit));
  assertRefused(await link(kit, B, first), 404, "not_found");
  await submit(kit, second);
  assertRefused(await link(kit, A, second), 409, "number_conflict");
  await review(kit, second, { decision: "approve" });
  const moved = await link(kit, A, second);
  assert.deepEqual(
    [moved.status, moved.body.sender.state, moved.body.sender.registration_id],
    [200, "pending", second],
  );
  await kit.advance(1);
  assert.deepEqual((await senderMoves(kit, A)).slice(-2), ["active → pending", "pending → active"]);
  const again = await link(kit, A, second);
  assert.equal(again.body.sender.state, "active", "linked already: nothing happens");
});

test("a number may name a submitted registration, and is pending until the decision", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, A, B);
  await buy(kit, A, live(kit));
  const approved = await giveRegistration(kit);
  await approve(kit, approved);
  const waiting = await giveRegistration(kit);
  await submit(kit, waiting);
  const bought = await buy(kit, B, { ...live(kit), body: { registration_id: waiting } });
  assert.equal(bought.sender.state, "pending");
  await kit.advance(1);
  assert.equal(await state(kit, B), "pending");
  assert.equal(await state(kit, A), "active");
  await review(kit, waiting, { decision: "reject" });
  assert.equal(await state(kit, B), "action_needed", "it keeps to the one that was named");
  assert.equal((await link(kit, B, approved)).body.sender.state, "pending");
  await kit.advance(1);
  assert.deepEqual(await senderMoves(kit, B), [
    "pending → action_needed",
    "action_needed → pending",
    "pending → active",
  ]);
});

test("49 of 60 concurrent purchases under one registration are made and paid", async (t) => {
  const kit = await liveKit(t);
  const phones = usNumbers(60);
  await stock(kit, ...phones);
  const registration_id = await giveRegistration(kit);
  const answers = await Promise.all(
    phones.map((phone_number) =>
      retried(() =>
        kit.request("POST", "/v1/numbers", {
          ...live(kit),
          body: { phone_number, registration_id },
        }),
      ),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 11);
  for (const answer of refused) assertRefused(answer, 409, "registration_full", "registration_id");
  const [row] = await kit.rows("select count(*)::int as held from numbers");
  assert.equal(row.held, 49);
  const [paid] = await kit.rows(
    "select count(*)::int as months from ledger_entries where kind = 'number_month'",
  );
  assert.equal(paid.months, 49);
});

test("49 of 60 concurrent links to one registration are made", async (t) => {
  const kit = await liveKit(t);
  const phones = usNumbers(60);
  for (const phone of phones) await giveNumber(kit, { phone, mode: "live" });
  const id = await giveRegistration(kit);
  const answers = await Promise.all(phones.map((phone) => retried(() => link(kit, phone, id))));
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 49);
  for (const answer of answers.filter(({ status }) => status !== 200))
    assertRefused(answer, 409, "registration_full", "registration_id");
  const [row] = await kit.rows("select count(*)::int as held from numbers where registration_tied");
  assert.equal(row.held, 49);
});

test("the 50th number of a registration is bought and needs action, until another leaves", async (t) => {
  const kit = await liveKit(t);
  const phones = usNumbers(49);
  for (const phone of phones) await giveNumber(kit, { phone, mode: "live" });
  const id = await giveRegistration(kit);
  await approve(kit, id);
  await kit.advance(1);
  const last = "+12065553000";
  await stock(kit, last);
  const bought = await buy(kit, last, live(kit));
  assert.equal(bought.sender.state, "action_needed");
  assert.match(bought.sender.reason, /49 numbers already/);
  await kit.request("DELETE", `/v1/numbers/${phones[7]}`, live(kit));
  await kit.advance(1);
  assert.equal(await state(kit, last), "active");
  assert.deepEqual(await senderMoves(kit, last), ["action_needed → pending", "pending → active"]);
});

test("an event of a customer's number names the customer", async (t) => {
  const kit = await liveKit(t);
  await stock(kit, C);
  const { body: customer } = await kit.request("POST", "/v1/customers", {
    body: { name: "Hillside" },
  });
  await buy(kit, C, { ...live(kit), body: { customer_id: customer.id } });
  await submit(kit, await giveRegistration(kit));
  const [row] = await kit.rows(
    "select customer_id, data from events where type = 'number.sender_updated'",
  );
  assert.equal(row.data.customer_id, customer.id);
  assert.equal(toApiId("customer", row.customer_id), customer.id);
});

test("the account's registration is the only approved one, else the newest open one", () => {
  const of = (...statuses: string[]) =>
    accountRegistration(
      statuses.map((status, index) => ({
        id: String(index),
        kind: "campaign",
        status: status as "draft",
        is_revoked: false,
      })),
    )?.id ?? null;
  assert.equal(of(), null);
  assert.equal(of("draft", "rejected"), null);
  assert.equal(of("ready", "submitted"), "0", "the newest");
  assert.equal(of("submitted", "approved", "ready"), "1", "the only approved one");
  assert.equal(of("draft", "approved", "approved"), "1", "of several the newest");
  assert.deepEqual(senderStatesOf([], [], "x"), new Map());
});
