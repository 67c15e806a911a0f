import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { giveRegistration, submit } from "../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { handleInboundMessage } from "./receive.ts";

const LIVE = "+14155550199";
const PERSON = "+14155552671";

function bring(kit: Kit, payload: { from?: string; to?: string; body: string }) {
  const text = { carrier: "acme", reference: null, from: PERSON, to: LIVE, ...payload };
  return kit.deps.db.tx((tx) =>
    handleInboundMessage(kit.deps, tx, { carrier: "acme", payload: text }),
  );
}

async function balance(kit: Kit): Promise<number> {
  return (await kit.request("GET", "/v1/account")).body.balance_usd;
}

function accountPath(kit: Kit): string {
  return `/accounts/${toApiId("account", kit.account.id)}`;
}

test("a live message is billed, even below zero, and once in the ledger", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: LIVE, mode: "live" });
  const row = await bring(kit, { body: "Hello" });
  assert.equal(row?.price_micros, 4_000);
  assert.equal(row?.simulated, false);
  assert.equal(row?.carrier, "acme");
  assert.equal(await balance(kit), -0.004);
  const entries = await kit.rows("select kind, amount_micros, object_id from ledger_entries");
  assert.deepEqual(entries, [{ kind: "inbound", amount_micros: -4_000, object_id: row?.id }]);
});

test("with prices per segment, a long inbound message costs every segment", async (t) => {
  const kit = await startKit(t, { LONGWAVE_PRICE_UNIT: "segment" });
  await giveNumber(kit, { phone: LIVE, mode: "live" });
  const row = await bring(kit, { body: "x".repeat(161) });
  assert.equal(row?.price_micros, 8_000);
});

test("a message to an unowned number or a test number is not delivered to any account", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: "+14155550198" });
  assert.equal(await bring(kit, { body: "Hello" }), null);
  assert.equal(await bring(kit, { body: "Hello", to: "+14155550198" }), null);
  assert.equal(await bring(kit, { body: "Hello", to: "12345" }), null);
  assert.deepEqual(await kit.rows("select 1 from messages"), []);
});

test("STOP to an unregistered live number is answered from it, free of charge", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: LIVE, mode: "live", senderState: "test_only" });
  await bring(kit, { body: "STOP" });
  const [reply] = await kit.rows("select * from messages where auto_reply");
  assert.equal(reply.from_number, LIVE);
  assert.equal(reply.mode, "live");
  assert.equal(reply.simulated, false);
  assert.equal(reply.price_micros, 0);
  assert.equal(reply.billing, "none");
  assert.equal(await balance(kit), -0.004);
  const [entry] = await kit.rows(
    "select carrier, mode from consent_ledger where phone_number = $1",
    [PERSON],
  );
  assert.deepEqual(entry, { carrier: "acme", mode: "live" });
});

test("replies to HELP, STOP and START on a registered number use the registration's wording", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  await giveNumber(kit, { phone: LIVE, mode: "live" });
  const id = await giveRegistration(kit, {
    businessName: "Hillside Dental",
    supportEmail: "help@hillside.example.com",
  });
  await submit(kit, id);
  const { generated } = (await kit.request("GET", `/v1/registrations/${id}`)).body;
  for (const body of ["HELP", "STOP", "START"]) await bring(kit, { body });
  const replies = await kit.rows("select body from messages where auto_reply order by id");
  assert.deepEqual(
    replies.map((reply) => reply.body),
    [generated.help_reply, generated.stop_reply, generated.opt_in_confirmation],
  );
  assert.match(generated.help_reply, /^Hillside Dental: .*help@hillside\.example\.com/);
  await giveNumber(kit, { phone: "+14165550100", mode: "live", country: "CA" });
  await bring(kit, { body: "STOP", to: "+14165550100" });
  const [last] = await kit.rows(
    "select body from messages where auto_reply order by id desc limit 1",
  );
  assert.match(last.body, /^Test account: /, "no registration speaks for a Canadian number");
});

test("a suspended account's messages are stored, and STOP is honoured without a reply", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: LIVE, mode: "live" });
  await kit.operator("PATCH", accountPath(kit), { status: "suspended" });
  await bring(kit, { body: "STOP" });
  await bring(kit, { body: "HELP" });
  assert.deepEqual(await kit.rows("select 1 from messages where auto_reply"), []);
  const [state] = await kit.rows("select status from consent_states");
  assert.equal(state.status, "opted_out");
  const types = await kit.rows("select type from events order by seq");
  assert.deepEqual(
    types.map((row) => row.type),
    ["message.received", "message.opted_out", "message.received"],
  );
});

test("short codes, foreign numbers and malformed strings are stored as far as possible", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: LIVE, mode: "live" });
  await bring(kit, { body: "STOP", from: "72975" });
  await bring(kit, { body: "STOP", from: "+447911123456" });
  const odd = await bring(kit, { body: "a\u0000b\ud800c <script>\u001b[31m" });
  assert.equal(odd?.body, "a\ufffdb\ufffdc <script>\u001b[31m");
  assert.deepEqual(await kit.rows("select 1 from messages where auto_reply"), []);
  const states = await kit.rows("select phone_number from consent_states");
  assert.deepEqual(states, [{ phone_number: "+447911123456" }]);
  const [event] = await kit.rows("select data from events order by seq desc limit 1");
  assert.equal(event.data.body, odd?.body);
});

test("an unpaid number honours STOP and sends nothing", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: LIVE, mode: "live" });
  await kit.rows("update numbers set unpaid_since = now()");
  await bring(kit, { body: "STOP" });
  assert.deepEqual(await kit.rows("select 1 from messages where auto_reply"), []);
  assert.equal((await kit.rows("select 1 from consent_states")).length, 1);
});
