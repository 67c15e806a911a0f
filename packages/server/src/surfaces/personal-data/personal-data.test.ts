/** Erasure and export of one phone number, deletion of bodies, redaction after a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REDACTED_NUMBER } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { tablesWith } from "../../../testing/tables-with.ts";
import { until } from "../../../testing/until.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { eraseNumbers } from "./erase.ts";

const freshKit = freshAccounts();
const OURS = "+15005550100";
const PERSON = "+14155552671";
const DIGITS = PERSON.slice(1);
const OTHER = "+14155552672";
const DAY_SECONDS = 86_400;

async function kitWithNumber(t: Parameters<typeof freshKit>[0]): Promise<Kit> {
  const kit = await freshKit(t);
  await giveNumber(kit, { phone: OURS });
  return kit;
}

async function ok(kit: Kit, method: string, path: string, body?: object) {
  const answer = await kit.request(method, `/v1${path}`, body ? { body } : {});
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const send = (kit: Kit, more: object = {}) =>
  kit.request("POST", "/v1/messages", { body: { from: OURS, to: PERSON, body: "Hello", ...more } });

/** Rows about a person in most places. */
async function fill(kit: Kit, person: string): Promise<void> {
  await ok(kit, "POST", "/messages", {
    from: OURS,
    to: person,
    body: "Hello",
    metadata: { a: "b" },
  });
  await ok(kit, "POST", "/test/inbound", { from: person, to: OURS, body: "My name is Ada" });
  await ok(kit, "POST", `/conversations/${person}/notes`, { body: "Called back" });
  await ok(kit, "POST", "/contacts", { phone_number: person, name: "Ada", tags: ["vip"] });
  await ok(kit, "POST", "/consent", {
    ...{ phone_number: person, status: "opted_in", source: "web" },
    evidence: { ip: "203.0.113.7" },
  });
  const topic = await ok(kit, "POST", "/topics", { name: "News" });
  await ok(kit, "POST", `/topics/${topic.id}/subscriptions`, {
    ...{ phone_number: person, subscribed: true },
  });
  const scheduled_at = new Date(kit.deps.clock.now() + DAY_SECONDS * 1_000).toISOString();
  await ok(kit, "POST", "/messages", { from: OURS, to: person, body: "Later", scheduled_at });
  await ok(kit, "POST", "/schedules", {
    ...{ from: OURS, to: person, body: "Daily", rrule: "FREQ=DAILY", timezone: "America/New_York" },
  });
  const batch = await ok(kit, "POST", "/batches", {
    ...{
      from: OURS,
      body: "Hi {{name}}",
      recipients: [{ to: person, variables: { name: "Ada" } }],
    },
  });
  await ok(kit, "POST", "/verify", { phone: person });
  await until(async () => (await ok(kit, "GET", `/batches/${batch.id}`)).status === "complete");
}

test("an erasure leaves the number nowhere, keeps others, and reports what it did", async (t) => {
  const kit = await kitWithNumber(t);
  await fill(kit, PERSON);
  await fill(kit, OTHER);
  await kit.advance(5);
  const before = await ok(kit, "GET", "/usage?by=day");
  const made = await kit.request("POST", "/v1/erasures", { body: { phone_number: PERSON } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(made.body.status, "running");
  assertProblem(await send(kit), 400, "recipient_opted_out", "to");
  const again = await kit.request("POST", "/v1/erasures", { body: { phone_number: PERSON } });
  assert.deepEqual([again.status, again.body.id], [200, made.body.id]);
  await kit.advance(120);
  const erasure = await ok(kit, "GET", `/erasures/${made.body.id}`);
  assert.deepEqual([erasure.status, erasure.phone_number, erasure.waiting], ["complete", null, 0]);
  assert.deepEqual(await tablesWith(kit, DIGITS), []);
  assert.ok((await tablesWith(kit, OTHER.slice(1))).length > 10);
  const places = new Map(
    erasure.report.map((one: { place: string; action: string }) => [one.place, one.action]),
  );
  for (const place of ["conversations", "events", "scheduled_messages", "topic_subscriptions"]) {
    assert.equal(places.get(place), "deleted", place);
  }
  for (const place of ["messages", "verifications", "batch_recipients", "consent_entries"]) {
    assert.equal(places.get(place), "redacted", place);
  }
  assert.deepEqual((await ok(kit, "GET", "/usage?by=day")).data, before.data);
  const listed = await ok(kit, "GET", `/messages?to=${encodeURIComponent(REDACTED_NUMBER)}`);
  assert.ok(listed.data.length >= 2);
  for (const message of listed.data) assert.deepEqual([message.body, message.metadata], ["", {}]);
});

test("an erased number stays opted out under its hash, until it opts in again", async (t) => {
  const kit = await kitWithNumber(t);
  await ok(kit, "POST", "/erasures", { phone_number: PERSON, note: "Asked by letter" });
  await kit.advance(120);
  assertProblem(await send(kit), 400, "recipient_opted_out", "to");
  const preview = await send(kit, { dry_run: true });
  assert.deepEqual(preview.body.blocked_by, ["recipient_opted_out"]);
  const recipients = [{ to: PERSON }, { to: OTHER }];
  const batch = await ok(kit, "POST", "/batches", {
    from: OURS,
    body: "Hi",
    recipients,
    dry_run: true,
  });
  assert.deepEqual([batch.valid, batch.rejected[0].reason], [1, "opted_out"]);
  const found = await ok(kit, "GET", `/erasures?phone_number=${encodeURIComponent(PERSON)}`);
  assert.equal(found.data[0].note, "Asked by letter");
  const none = await ok(kit, "GET", `/erasures?phone_number=${encodeURIComponent(OTHER)}`);
  assert.deepEqual(none.data, []);
  await ok(kit, "POST", "/consent", { phone_number: PERSON, status: "opted_in", source: "web" });
  assert.equal((await send(kit)).status, 201);
});

test("an erasure waits for what is under way, and then takes it, too", async (t) => {
  const kit = await kitWithNumber(t);
  const scheduled_at = new Date(kit.deps.clock.now() + 2 * DAY_SECONDS * 1_000).toISOString();
  await ok(kit, "POST", "/batches", {
    ...{ from: OURS, body: "Hi", recipients: [{ to: PERSON }], scheduled_at },
  });
  const { id } = await ok(kit, "POST", "/erasures", { phone_number: PERSON });
  await kit.advance(120);
  const running = await ok(kit, "GET", `/erasures/${id}`);
  assert.deepEqual([running.status, running.waiting], ["running", 1]);
  await kit.advance(2 * DAY_SECONDS + 7_200);
  assert.equal((await ok(kit, "GET", `/erasures/${id}`)).status, "complete");
  assert.deepEqual(await tablesWith(kit, DIGITS), []);
});

test("an export holds everything about one number, and nothing about another", async (t) => {
  const kit = await kitWithNumber(t);
  await fill(kit, PERSON);
  await fill(kit, OTHER);
  await kit.advance(5);
  const { places } = await ok(kit, "GET", `/personal_data/${PERSON}`);
  const names = places.map(({ place }: { place: string }) => place);
  for (const place of ["contacts", "messages", "events", "consent_entries", "conversation_notes"]) {
    assert.ok(names.includes(place), `${place} in ${names}`);
  }
  const text = JSON.stringify(places);
  assert.match(text, /My name is Ada/);
  assert.doesNotMatch(text, new RegExp(OTHER.slice(1)));
  assert.deepEqual((await ok(kit, "GET", "/personal_data/+14155552999")).places, []);
});

test("an export continues a place with more than a thousand records, in the order of its key", async (t) => {
  const kit = await kitWithNumber(t);
  const { id } = (await send(kit)).body;
  await kit.advance(5);
  await kit.rows(
    `insert into messages
     select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid()))).*
       from messages m, generate_series(1, 1000) where m.id = $1`,
    [fromApiId("message", id)],
  );
  const path = `/personal_data/${PERSON}`;
  const { places } = await ok(kit, "GET", path);
  const first = places.find(({ place }: { place: string }) => place === "messages");
  assert.deepEqual([first.records.length, first.has_more], [1_000, true]);
  const rest = await ok(kit, "GET", `${path}?place=messages&cursor=${first.next_cursor}`);
  const [last] = rest.places;
  assert.deepEqual([last.records.length, last.has_more, last.next_cursor], [1, false, null]);
  const ids = [...first.records, ...last.records].map((record: { id: string }) => record.id);
  assert.equal(new Set(ids).size, 1_001);
  const isOrdered = (one: string, index: number) => index === 0 || (ids[index - 1] ?? "") < one;
  assert.ok(ids.every(isOrdered));
  assert.ok(ids.includes(id));
  const refused = async (query: string, param: string) =>
    assertProblem(await kit.request("GET", `/v1${path}?${query}`), 400, "invalid_request", param);
  await refused("place=nowhere", "place");
  await refused(`cursor=${first.next_cursor}`, "cursor");
  await refused(`place=events&cursor=${first.next_cursor}`, "cursor");
});

test("callbacks that a carrier's file could not read go with the number that they name", async (t) => {
  const kit = await kitWithNumber(t);
  const person = "+14155553381";
  const others = "+14155553389";
  await giveNumber(await secondAccount(kit), { phone: others });
  const keep = async (query: string, body: Buffer) => {
    const id = kit.deps.ids.make();
    await kit.rows(
      `insert into kept_callbacks (id, carrier, kind, digest, reason, query, content_type, body, is_item, times, last_at)
       values ($1, 'aggregator', 'inbound', uuid_send(gen_random_uuid()), '', $2, '', $3, false, 1, now())`,
      [id, query, body],
    );
    return id;
  };
  const asForm = await keep(`From=%2B1%20%28415%29%20555-3381&To=${OURS}`, Buffer.from(""));
  const notText = await keep("", Buffer.from(`${person.slice(2)}\xff\x00 to ${OURS}`, "latin1"));
  const unclaimed = await keep("", Buffer.from(JSON.stringify({ to: "(415) 555-3381" })));
  const ofOthers = await keep("", Buffer.from(JSON.stringify({ from: person, to: others })));
  const ofNobody = await keep("", Buffer.from(JSON.stringify({ from: OTHER, to: OURS })));
  const { places } = await ok(kit, "GET", `/personal_data/${person}`);
  const shown = places.flatMap(
    ({ place, records }: { place: string; records: { id: string }[] }) =>
      place === "kept_callbacks" ? records.map(({ id }) => fromApiId("kept_callback", id)) : [],
  );
  assert.deepEqual(new Set(shown), new Set([asForm, notText]));
  const { id } = await ok(kit, "POST", "/erasures", { phone_number: person });
  await kit.advance(120);
  const left = await kit.rows(
    "select id from kept_callbacks where id = any($1::uuid[]) order by id",
    [[asForm, notText, unclaimed, ofOthers, ofNobody]],
  );
  assert.deepEqual(
    left.map((row) => row.id),
    [ofOthers, ofNobody],
  );
  const { report } = await ok(kit, "GET", `/erasures/${id}`);
  assert.deepEqual(
    report.find((one: { place: string }) => one.place === "kept_callbacks"),
    { place: "kept_callbacks", action: "deleted", records: 3 },
  );
});

test("contents of refused requests and callback addresses go with the number that they name", async (t) => {
  const kit = await kitWithNumber(t);
  const log = (column: string, text: string) =>
    kit.rows(
      `insert into request_log (shard, id, account_id, mode, key_id, method, path, status, duration_ms, is_replayed, ${column})
       values ($1, $2, $3, 'test', $4, 'POST', '/v1/messages', 400, 1, false, $5)`,
      [kit.account.shard, kit.deps.ids.make(), kit.account.id, kit.deps.ids.make(), text],
    );
  await log("body", '{"to":"(415) 555-2671"}');
  await log("message", `${PERSON} is opted out.`);
  await log("answer", `{"error":{"message":"${PERSON} is opted out."}}`);
  await log("body", `{"to":"${OTHER}"}`);
  const callback = async (url: string) => {
    const { id } = (await send(kit, { to: "+14155552673" })).body;
    await kit.rows(
      "insert into twilio_callbacks (shard, account_id, id, url) values ($1, $2, $3, $4)",
      [kit.account.shard, kit.account.id, fromApiId("message", id), url],
    );
  };
  await callback("https://example.com/status?for=%2B14155552671");
  await callback("https://example.com/status?for=%2B14155552672");
  const { places } = await ok(kit, "GET", `/personal_data/${PERSON}`);
  const records = (name: string) =>
    places.find(({ place }: { place: string }) => place === name)?.records.length;
  assert.deepEqual([records("request_log"), records("twilio_callbacks")], [3, 1]);
  await ok(kit, "POST", "/erasures", { phone_number: PERSON });
  await kit.advance(120);
  const logged = await kit.rows("select body from request_log where status = 400");
  assert.deepEqual(logged, [{ body: `{"to":"${OTHER}"}` }]);
  const urls = await kit.rows("select url from twilio_callbacks");
  assert.deepEqual(urls, [{ url: "https://example.com/status?for=%2B14155552672" }]);
});

test("own numbers, other keys and other accounts' erasures are refused", async (t) => {
  const kit = await kitWithNumber(t);
  const body = { phone_number: OURS };
  assertProblem(
    await kit.request("POST", "/v1/erasures", { body }),
    400,
    "invalid_request",
    "phone_number",
  );
  assertProblem(
    await kit.request("POST", "/v1/erasures", { body: { phone_number: "x" } }),
    400,
    "invalid_request",
    "phone_number",
  );
  assertProblem(await kit.request("GET", "/v1/erasures/ers_x"), 404, "not_found");
  assertProblem(await kit.request("GET", "/v1/personal_data/x"), 400, "invalid_request", "phone");
});

test("an erasure continues after a kill at any step, and counts every row once", async (t) => {
  const kit = await kitWithNumber(t);
  await fill(kit, PERSON);
  await kit.advance(5);
  const { places } = await ok(kit, "GET", `/personal_data/${PERSON}`);
  const stored = new Map<string, number>(
    places.map((one: { place: string; records: object[] }) => [one.place, one.records.length]),
  );
  const { id } = await ok(kit, "POST", "/erasures", { phone_number: PERSON });
  const { clock } = kit.deps;
  // Each run looks later than an hour after the one before: a postponed erasure is due again.
  let runs = 0;
  const later = Object.create(clock, { now: { value: () => clock.now() + runs * 7_200_000 } });
  const deps = { ...kit.deps, clock: later };
  const state = async () => await ok(kit, "GET", `/erasures/${id}`);
  let kills = 0;
  // Each run passes twice as many steps as the one before, and dies.
  for (let steps = 1; (await state()).status === "running"; steps *= 2) {
    let taken = 0;
    runs += 1;
    const signal = {
      get aborted() {
        taken += 1;
        if (taken > steps) throw new Error("killed");
        return false;
      },
    } as AbortSignal;
    await eraseNumbers.run(deps, signal).catch((error: Error) => {
      assert.equal(error.message, "killed");
      kills += 1;
    });
  }
  assert.ok(kills > 3, `${kills}`);
  assert.deepEqual(await tablesWith(kit, DIGITS), []);
  const report = new Map<string, number>(
    (await state()).report.map((one: { place: string; records: number }) => [
      one.place,
      one.records,
    ]),
  );
  for (const place of ["messages", "scheduled_messages", "conversation_notes", "verifications"]) {
    assert.equal(report.get(place), stored.get(place), place);
  }
});
