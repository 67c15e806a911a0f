import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { STATUSES } from "@longwave/smpp";
import { ACCEPTED, type Behaviour, Smsc } from "@longwave/smpp/smsc";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { aggregatorEntry, startAggregator } from "../../../testing/mock-aggregator.ts";
import { carriersFile, SMPP_FROM, smppEntry } from "../../../testing/smpp-stage.ts";
import { until } from "../../../testing/until.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { relativeTime } from "./smpp/map.ts";
import { laterPartsMsMax } from "./validity.ts";

const SERVICE = "+12065550150";
const PHONE = "+14155552671";
const FOUR_HOURS = "000000040000000R";
const refusing = (status: keyof typeof STATUSES): Behaviour => ({
  answer: "refuse",
  status: STATUSES[status].code,
  answerDelayMs: 0,
  receipt: null,
  reply: null,
});

/** A server whose live messages go to an SMSC, with a stopped clock. */
async function startStage(t: TestContext) {
  const behaviours: Behaviour[] = [];
  const smsc = await Smsc.start({
    password: "secret",
    behave: () => {
      const [first] = behaviours.length > 1 ? behaviours.splice(0, 1) : behaviours;
      return first ?? { ...ACCEPTED, receipt: null };
    },
  });
  t.after(() => smsc.stop());
  const file = await carriersFile(t, [smppEntry(smsc)]);
  const kit = await startKit(t, { LONGWAVE_CARRIERS: file, LONGWAVE_VERIFY_NUMBERS: SERVICE });
  kit.stopClock();
  await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  await goLive(kit, 100);
  await giveNumber(kit, { phone: SMPP_FROM, mode: "live", senderState: "active" });
  const validities = () => smsc.journal.submits().map((submit) => submit.validityPeriod);
  const send = (more: object = {}) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: PHONE, from: SMPP_FROM, body: "Hello", ...more },
    });
  const read = async (id: string) => (await kit.request("GET", `/v1/messages/${id}`)).body;
  const startCode = () =>
    kit.request("POST", "/v1/verify", { key: kit.liveKey, body: { phone: PHONE } });
  return { kit, smsc, behaviours, validities, send, read, startCode };
}

test("each submit carries the remaining validity, on every part and every retry", async (t) => {
  const { kit, behaviours, validities, send } = await startStage(t);
  assert.equal((await send()).status, 201);
  assert.equal((await send({ valid_for: 600 })).status, 201);
  assert.equal((await send({ valid_for: 259_200, body: "x".repeat(200) })).status, 201);
  const threeDays = "000003000000000R";
  const before = [FOUR_HOURS, "000000001000000R", threeDays, threeDays];
  assert.deepEqual(validities(), before);
  behaviours.push(refusing("ESME_RSYSERR"), { ...ACCEPTED, receipt: null });
  assert.equal((await send({ valid_for: 100 })).status, 202);
  await kit.advance(30);
  assert.deepEqual(validities().slice(before.length), ["000000000140000R", "000000000110000R"]);
});

test("a code carries the remaining validity of its verification, also when sent again", async (t) => {
  const { kit, behaviours, validities, startCode } = await startStage(t);
  assert.equal((await startCode()).status, 201);
  await kit.advance(240);
  behaviours.push(refusing("ESME_RSYSERR"), { ...ACCEPTED, receipt: null });
  assert.equal((await startCode()).status, 201);
  await kit.advance(5);
  assert.deepEqual(validities(), ["000000001000000R", "000000000600000R", "000000000555000R"]);
});

test("a code for a verified number carries its remaining validity", async (t) => {
  const { kit, validities } = await startStage(t);
  const answer = await kit.request("POST", "/v1/verified_numbers", {
    key: kit.liveKey,
    body: { phone_number: PHONE },
  });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  await until(() => validities().length === 1);
  assert.deepEqual(validities(), ["000000001000000R"]);
});

test("a message whose validity ends while the carrier is busy is offered no more, and fails expired", async (t) => {
  const { kit, behaviours, validities, send, read } = await startStage(t);
  behaviours.push(refusing("ESME_RTHROTTLED"));
  const { status, body } = await send({ valid_for: 60 });
  assert.equal(status, 202);
  await kit.advance(61);
  const offered = validities().length;
  await until(async () => (await read(body.id)).status === "failed");
  assert.equal((await read(body.id)).failure.code, "expired");
  assert.ok(validities().length - offered <= 1, "at most the one that was under way");
  assert.ok(!validities().some((one) => one < "000000000001000R"), "never less than a second");
});

test("a code is not attempted after its verification ended, and its message fails expired", async (t) => {
  const { kit, behaviours, validities, startCode } = await startStage(t);
  assert.equal((await startCode()).status, 201);
  await kit.advance(597);
  behaviours.push(refusing("ESME_RSYSERR"));
  assert.equal((await startCode()).status, 201);
  const before = ["000000001000000R", "000000000003000R"];
  assert.deepEqual(validities(), before);
  await kit.advance(3);
  const messages = await kit.rows(
    `select status, failure_code, extract(epoch from failed_at - created_at)::int as failed_after
       from messages order by id`,
  );
  assert.deepEqual(messages.at(-1), {
    status: "failed",
    failure_code: "expired",
    failed_after: 3,
  });
  await kit.advance(60);
  assert.deepEqual(validities(), before);
});

test("an HTTP carrier gets the remaining seconds, as a number where they stand alone", async (t) => {
  const aggregator = await startAggregator(t);
  const entry = aggregatorEntry(aggregator, {
    headers: { "x-ttl": "{{validity_seconds}}" },
    body: {
      to: "{{to}}",
      text: "{{body}}",
      ttl: "{{validity_seconds}}",
      note: "for {{validity_seconds}} s",
    },
  });
  const kit = await startKit(t, { LONGWAVE_CARRIERS: await carriersFile(t, [entry]) });
  kit.stopClock();
  await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  await goLive(kit, 100);
  await giveNumber(kit, { phone: SMPP_FROM, mode: "live", senderState: "active" });
  const send = (more: object) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to: PHONE, from: SMPP_FROM, body: "Hello", ...more },
    });
  assert.equal((await send({ valid_for: 90 })).status, 201);
  const busy = (await send({ valid_for: 60, to: "+14155552672" })) as { status: number };
  assert.equal(busy.status, 201);
  assert.equal((await send({})).status, 201);
  assert.deepEqual(
    aggregator.asked.map(({ body, headers }) => [body.ttl, body.note, headers["x-ttl"]]),
    [
      [90, "for 90 s", "90"],
      [60, "for 60 s", "60"],
      [14_400, "for 14400 s", "14400"],
    ],
  );
  aggregator.behave = (response) => response.writeHead(429, { "retry-after": "1" }).end();
  const { status, body } = await send({ valid_for: 60, to: "+14155552673" });
  assert.equal(status, 202);
  await kit.advance(61);
  const [failed] = await untilFailed(kit.rows, body.id);
  assert.deepEqual(failed, { failure_code: "expired" });
});

async function untilFailed(
  rows: (text: string, values: unknown[]) => Promise<object[]>,
  id: string,
) {
  const find = () =>
    rows("select failure_code from messages where id = $1 and status = 'failed'", [
      fromApiId("message", id),
    ]);
  await until(async () => (await find()).length === 1);
  return find();
}

test("SMPP relative time counts days, hours, minutes and seconds", () => {
  assert.equal(relativeTime(1), "000000000001000R");
  assert.equal(relativeTime(59), "000000000059000R");
  assert.equal(relativeTime(3_600), "000000010000000R");
  assert.equal(relativeTime(4 * 3_600), FOUR_HOURS);
  assert.equal(relativeTime(90_061), "000001010101000R");
  assert.equal(relativeTime(400 * 86_400), "000030000000000R", "a month at most");
});

test("later parts of a long message are tried for its validity, until its answer is given up", () => {
  const now = Date.UTC(2026, 0, 1);
  const until = (seconds: number) => ({ expiresAtMs: now + seconds * 1_000 });
  assert.equal(laterPartsMsMax(until(600), now), 600_000);
  assert.equal(laterPartsMsMax(until(3_600), now), 840_000, "an attempt ends after 15 minutes");
  assert.equal(laterPartsMsMax({ expiresAtMs: null }, now), 840_000);
});
