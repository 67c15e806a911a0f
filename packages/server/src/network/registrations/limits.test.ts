/** Rates and daily caps of a registration pace its numbers, over HTTP and SMPP alike. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Smsc } from "@longwave/smpp/smsc";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, type Lifetime, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { aggregatorEntry, startAggregator } from "../../../testing/mock-aggregator.ts";
import { carriersFile, smppEntry } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { nextPacificDayMs, pacificDay } from "./pacific-day.ts";

const OVER_HTTP = "+14155550100";
const OVER_SMPP = "+14155550101";
const TO = "+14155552671";

async function startStage(t: Lifetime) {
  const aggregator = await startAggregator(t);
  const smsc = await Smsc.start({ password: "secret" });
  t.after(() => smsc.stop());
  const entries = [
    aggregatorEntry(aggregator, { numbers: [OVER_HTTP] }),
    smppEntry(smsc, { numbers: [OVER_SMPP] }),
  ];
  const kit = await startKit(t, { LONGWAVE_CARRIERS: await carriersFile(t, entries) });
  kit.stopClock();
  await until(() => kit.deps.carriers.all().every((one) => one.state().state === "up"));
  await goLive(kit, 100);
  const id = await approvedRegistration(kit);
  for (const phone of [OVER_HTTP, OVER_SMPP]) {
    await giveNumber(kit, { phone, mode: "live", senderState: "active" });
  }
  await kit.rows("update numbers set registration_id = $1", [fromApiId("registration", id)]);
  return { kit, id };
}

async function approvedRegistration(kit: Kit): Promise<string> {
  const body = {
    business_name: "Hillside Dental",
    website: "https://hillside.example.com",
    use_case: "account_notification",
    draft: true,
  };
  const { id } = (await kit.request("POST", "/v1/registrations", { body })).body;
  const approval = { decision: "approve", override: true, note: "At Telnyx", campaign_id: "C1" };
  const approved = await kit.operator("POST", `/registrations/${id}/review`, approval);
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  return id;
}

const setLimits = (kit: Kit, id: string, limits: readonly object[]) =>
  kit.operator("POST", `/registrations/${id}/limits`, { limits });

async function send(kit: Kit, from: string, body = "Hello") {
  const message = { to: TO, from, body };
  const answer = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body: message });
  assert.ok(answer.status === 201 || answer.status === 202, JSON.stringify(answer.body));
  return answer.body;
}

const statusesOf = async (kit: Kit) => {
  const rows = await kit.rows("select status from messages order by id");
  return rows.map((row) => (row.status === "delivered" ? "sent" : row.status));
};

test("the smallest rate of all networks paces the numbers of a registration together", async (t) => {
  const { kit, id } = await startStage(t);
  const limits = [
    { network: "AT&T", segments_per_minute: 12 },
    { network: "Verizon", segments_per_minute: 60 },
  ];
  const set = await setLimits(kit, id, limits);
  assert.deepEqual(set.body.limits, [
    { ...limits[0], segments_per_day: null },
    { ...limits[1], segments_per_day: null },
  ]);
  const shown = await kit.request("GET", `/v1/registrations/${id}`);
  assert.deepEqual(shown.body.limits, set.body.limits, "the account sees them");

  assert.equal((await send(kit, OVER_HTTP)).status, "sent");
  const second = await send(kit, OVER_SMPP);
  assert.equal(second.status, "queued", "the other number waits too");
  assert.equal(Date.parse(second.next_attempt_at) - kit.deps.clock.now(), 5_000);
  const third = await send(kit, OVER_HTTP);
  assert.equal(third.status, "queued");
  await kit.advance(5);
  assert.deepEqual(await statusesOf(kit), ["sent", "sent", "queued"]);
  await kit.advance(5);
  assert.deepEqual(await statusesOf(kit), ["sent", "sent", "sent"]);
});

test("messages past the daily cap wait for the next day in Pacific Time; segments count", async (t) => {
  const { kit, id } = await startStage(t);
  await setLimits(kit, id, [{ network: "T-Mobile", segments_per_day: 3 }]);
  const long = "x".repeat(200);
  assert.equal((await send(kit, OVER_SMPP, long)).status, "sent");
  assert.equal((await send(kit, OVER_HTTP, long)).status, "queued", "two and two are four");
  assert.equal((await send(kit, OVER_HTTP)).status, "sent", "one is left");
  const last = await send(kit, OVER_SMPP);
  const midnightMs = nextPacificDayMs(kit.deps.clock.now());
  assert.deepEqual([last.status, Date.parse(last.next_attempt_at)], ["queued", midnightMs]);
  await kit.advance(Math.ceil((midnightMs - kit.deps.clock.now()) / 1_000));
  assert.deepEqual(await statusesOf(kit), ["sent", "sent", "sent", "sent"]);

  assert.equal((await send(kit, OVER_HTTP)).status, "queued", "and the next day's is used up");
  await setLimits(kit, id, []);
  assert.equal((await send(kit, OVER_HTTP)).status, "sent", "without limits");
});

test("a live batch keeps to the rate", async (t) => {
  const { kit, id } = await startStage(t);
  await setLimits(kit, id, [{ network: "AT&T", segments_per_minute: 60 }]);
  const recipients = Array.from({ length: 5 }, (_, index) => ({ to: `+1415555267${index}` }));
  const batch = await kit.request("POST", "/v1/batches", {
    key: kit.liveKey,
    body: { name: "Five", from: OVER_SMPP, body: "Hello", recipients },
  });
  assert.equal(batch.status, 201, JSON.stringify(batch.body));
  await kit.advance(1);
  const sent = (await statusesOf(kit)).filter((status) => status === "sent").length;
  assert.ok(sent >= 1 && sent <= 2, `${sent} in the first second`);
  await kit.advance(20);
  assert.deepEqual(
    await statusesOf(kit),
    recipients.map(() => "sent"),
  );
});

test("codes and automatic replies count, and never wait; other countries have no limits", async (t) => {
  const { kit, id } = await startStage(t);
  await setLimits(kit, id, [{ network: "T-Mobile", segments_per_day: 1 }]);
  const { registrationPace: pace } = kit.deps;
  const registration = fromApiId("registration", id);
  const take = (to: string, waits: boolean) =>
    pace.take(kit.account, registration, { to, segments: 1, waits });
  assert.equal(await take(TO, false), null);
  assert.equal(await take(TO, false), null, "past the cap");
  assert.notEqual(await take(TO, true), null);
  assert.equal(await take("+16045550100", true), null, "Canada");
});

test("days begin at midnight Pacific Time, in summer and in winter", () => {
  const summer = Date.UTC(2026, 6, 1, 6, 59);
  assert.equal(pacificDay(summer), "2026-06-30");
  assert.equal(nextPacificDayMs(summer), Date.UTC(2026, 6, 1, 7));
  assert.equal(nextPacificDayMs(Date.UTC(2026, 11, 1, 8)), Date.UTC(2026, 11, 2, 8));
});
