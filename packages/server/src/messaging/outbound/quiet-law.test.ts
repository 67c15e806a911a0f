/** Lawful hours: by state and weekday, by the contact's own zone, and by the operator's own table. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";

const freshKit = freshAccounts({ LONGWAVE_ROLES: "api" });
const OURS = "+15005550100";
const FLORIDA = "+13055552671";
const NEW_YORK = "+12125552671";
const DAY_MS = 86_400_000;
const BY_LAW = { start: "03:00", end: "04:00", by_law: true };

async function quietKit(t: Parameters<typeof freshKit>[0]): Promise<Kit> {
  const kit = await freshKit(t);
  await giveNumber(kit, { phone: OURS });
  const answer = await kit.request("PATCH", "/v1/account", { body: { quiet_hours: BY_LAW } });
  assert.equal(answer.body.quiet_hours.by_law, true, JSON.stringify(answer.body));
  return kit;
}

/** Moves the clock to the next day on which New York's wall clock shows the hour. */
async function advanceTo(kit: Kit, hour: number): Promise<void> {
  const now = kit.deps.clock.now();
  const zone = { timeZone: "America/New_York", hourCycle: "h23", hour: "numeric" } as const;
  const hourAt = (ms: number) => Number(new Intl.DateTimeFormat("en-GB", zone).format(ms));
  const start = Math.ceil(now / 3_600_000) * 3_600_000;
  const hours = Array.from({ length: 30 }, (_, index) => start + index * 3_600_000);
  const found = hours.find((ms) => hourAt(ms) === hour) ?? now;
  await kit.advance(Math.ceil((found - now) / 1_000) + 60);
}

const send = (kit: Kit, to: string, more: object = {}) =>
  kit.request("POST", "/v1/messages", { body: { from: OURS, to, body: "Hello", ...more } });

test("a text waits for the hours of the recipient's state, and the dry run says until when", async (t) => {
  const kit = await quietKit(t);
  await advanceTo(kit, 20);
  assert.equal((await send(kit, NEW_YORK)).status, 201);
  const preview = await send(kit, FLORIDA, { dry_run: true });
  const held = await send(kit, FLORIDA);
  assert.equal(held.status, 202, JSON.stringify(held.body));
  assert.equal(preview.body.quiet_until, held.body.next_attempt_at);
  const waits = Date.parse(held.body.next_attempt_at) - kit.deps.clock.now();
  assert.ok(waits > 11 * 3_600_000 && waits < DAY_MS, held.body.next_attempt_at);
  const recipients = [{ to: FLORIDA }, { to: NEW_YORK }];
  const body = { from: OURS, body: "Hi", recipients, dry_run: true };
  const batch = await kit.request("POST", "/v1/batches", { body });
  assert.deepEqual(batch.body.waiting, { count: 1, until: held.body.next_attempt_at });
});

test("the contact's own zone wins over the area code, under either name and by its older names", async (t) => {
  const kit = await quietKit(t);
  const [other, adak] = ["+12125552676", "+12125552677"];
  for (const [phone_number, attributes] of [
    [NEW_YORK, { time_zone: "Pacific/Honolulu" }],
    [other, { timezone: "US/Hawaii" }],
    [adak, { time_zone: "America/Adak", timezone: "America/New_York" }],
  ]) {
    await kit.request("POST", "/v1/contacts", { body: { phone_number, attributes } });
  }
  await advanceTo(kit, 22);
  for (const to of [NEW_YORK, other, adak]) assert.equal((await send(kit, to)).status, 201, to);
  assert.equal((await send(kit, "+12125552672")).status, 202);
});

test("a batch's dry run counts by the contacts' own zones, and names the latest end", async (t) => {
  const kit = await quietKit(t);
  const west = "+12125552673";
  for (const [phone_number, time_zone] of [
    [NEW_YORK, "Pacific/Honolulu"],
    [west, "America/Los_Angeles"],
    ["+12125552674", "Europe/Berlin"],
  ]) {
    const body = { phone_number, attributes: { time_zone } };
    await kit.request("POST", "/v1/contacts", { body });
  }
  // 23:30 in New York is 20:30 in California and past 17:00 in Hawaii; Berlin is no zone of the law.
  await advanceTo(kit, 23);
  await kit.advance(1_800);
  const dryRun = async (...phones: string[]) => {
    const recipients = phones.map((to) => ({ to }));
    const body = { from: OURS, body: "Hi", recipients, dry_run: true };
    return (await kit.request("POST", "/v1/batches", { body })).body.waiting;
  };
  assert.equal((await dryRun(NEW_YORK, west)).count, 0);
  const own = await send(kit, "+12125552674", { dry_run: true });
  const waiting = await dryRun(NEW_YORK, west, "+12125552674", "+12125552675");
  assert.deepEqual(waiting, { count: 2, until: own.body.quiet_until });
});

test("in a state that a stored edition closes all week, messages wait instead of leaving", async (t) => {
  const kit = await quietKit(t);
  await advanceTo(kit, 12);
  const { body: before } = await kit.operator("GET", "/quiet_laws/current");
  const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
  const closed = { region: "NY", days, from: "00:00", until: "00:00", source: "x" };
  const hours = [...before.hours, closed];
  const refused = await kit.operator("POST", "/quiet_laws", { edition: "x", hours });
  assertProblem(refused, 400, "invalid_request", `hours[${hours.length - 1}]`);
  const monday = [{ ...hours[0], days: ["mon"] }];
  const gaps = await kit.operator("POST", "/quiet_laws", { edition: "x", hours: monday });
  assertProblem(gaps, 400, "invalid_request", "hours");
  await kit.rows(
    "insert into quiet_laws (id, edition, hours, created_at) values ($1, 'x', $2, $3)",
    [kit.deps.ids.make(), JSON.stringify(hours), new Date(kit.deps.clock.now())],
  );
  await kit.deps.quietLaws.reload();
  const held = await send(kit, NEW_YORK);
  assert.equal(held.status, 202, JSON.stringify(held.body));
  await kit.advance(86_400);
  const later = await kit.request("GET", `/v1/messages/${held.body.id}`);
  assert.equal(later.body.status, "queued");
  await kit.rows("delete from quiet_laws where edition = 'x'");
  await kit.deps.quietLaws.reload();
  await kit.advance(86_400);
  const sent = await kit.request("GET", `/v1/messages/${held.body.id}`);
  assert.notEqual(sent.body.status, "queued");
});

test("the operator's edition replaces the table at once", async (t) => {
  const kit = await quietKit(t);
  await advanceTo(kit, 20);
  assert.equal((await send(kit, FLORIDA, { dry_run: true })).body.quiet_until === null, false);
  const { body: before } = await kit.operator("GET", "/quiet_laws/current");
  const hours = before.hours.filter(({ region }: { region: string }) => region !== "FL");
  const made = await kit.operator("POST", "/quiet_laws", { edition: "mine", hours });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await send(kit, FLORIDA, { dry_run: true })).body.quiet_until, null);
  assert.equal((await kit.operator("GET", "/quiet_laws/current")).body.edition, "mine");
  const { data } = (await kit.operator("GET", "/quiet_laws")).body;
  assert.deepEqual([data[0].edition, data[0].in_force, data[0].hours], ["mine", true, hours]);
  assert.equal(Date.parse(data[0].created_at) <= kit.deps.clock.now(), true);
  assert.ok(data[0].created_by.name, JSON.stringify(data[0].created_by));
  const row = { region: "US", days: ["mon"], from: "09:00", until: "08:00", source: "x" };
  const refused = await kit.operator("POST", "/quiet_laws", { edition: "x", hours: [row] });
  assertProblem(refused, 400, "invalid_request", "hours[0]");
  const odd = { ...row, until: "21:07" };
  const badTime = await kit.operator("POST", "/quiet_laws", { edition: "x", hours: [odd] });
  assertProblem(badTime, 400, "invalid_request", "hours[0].until");
});
