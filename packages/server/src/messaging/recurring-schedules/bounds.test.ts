import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { SCHEDULES_MAX } from "@longwave/contract";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { skipOccurrencesBefore } from "./index.ts";

const SCHEDULE = {
  to: "+15005550000",
  from: "+15005550100",
  body: "Again",
  timezone: "America/New_York",
};
const HOUR = 3_600;
/** Rules that once blocked the event loop for seconds. */
const BEYOND_THEIR_SET = [
  "FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0;BYSETPOS=366",
  `FREQ=DAILY;BYHOUR=${Array.from({ length: 24 }, (_, hour) => hour).join(",")};BYMINUTE=0;BYSETPOS=366`,
];

async function made(kit: Kit, more: Record<string, unknown>): Promise<string> {
  const answer = await kit.request("POST", "/v1/schedules", { body: { ...SCHEDULE, ...more } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}

/** Stores a rule directly, as an older release might have accepted it. */
async function store(kit: Kit, id: string, column: "rrule" | "time_zone", value: string) {
  const changed = await kit.rows(`update schedules set ${column} = $1 where id = $2 returning id`, [
    value,
    fromApiId("schedule", id),
  ]);
  assert.equal(changed.length, 1);
}

const read = async (kit: Kit, id: string) => (await kit.request("GET", `/v1/schedules/${id}`)).body;

describe("bounds of recurring schedules", () => {
  const suite = suiteKit();
  before(() => giveNumber(suite()));

  it("an unreachable position is refused, naming the positions that exist", async () => {
    const kit = suite();
    const id = await made(kit, { rrule: "FREQ=DAILY" });
    for (const rrule of BEYOND_THEIR_SET) {
      const answers = [
        await kit.request("POST", "/v1/schedules", { body: { ...SCHEDULE, rrule } }),
        await kit.request("PATCH", `/v1/schedules/${id}`, { body: { rrule } }),
      ];
      for (const answer of answers) {
        assertRefused(answer, 400, "invalid_request", "rrule");
        assert.match(answer.body.error.message, /position 366.*Use a position from 1 to/);
      }
    }
    assert.equal((await read(kit, id)).rrule, "FREQ=DAILY");
  });

  it("a rule without an occurrence within a century is refused", async () => {
    const kit = suite();
    for (const rule of [{ rrule: "FREQ=YEARLY;INTERVAL=1000" }, { cron: "0 0 30 2 *" }]) {
      const answer = await kit.request("POST", "/v1/schedules", { body: { ...SCHEDULE, ...rule } });
      assertRefused(answer, 400, "invalid_request", Object.keys(rule)[0]);
      assert.match(answer.body.error.message, /within 100 years/);
    }
  });

  it("unreachable positions of a stored rule are ignored, and the others continue", async () => {
    const kit = suite();
    const id = await made(kit, { rrule: "FREQ=HOURLY;BYMINUTE=0,30;BYSETPOS=1" });
    await store(kit, id, "rrule", "FREQ=HOURLY;BYMINUTE=0,30;BYSETPOS=1,366");
    await kit.advance(2 * HOUR);
    const after = await read(kit, id);
    assert.equal(after.status, "active");
    const { body } = await kit.request("GET", `/v1/schedules/${id}/occurrences`);
    const statuses = body.data.map((one: { status: string }) => one.status);
    assert.equal(statuses.filter((status: string) => status === "delivered").length, 2);
    assert.equal(statuses.filter((status: string) => status === "upcoming").length, 10);
  });

  it("a stored rule that is no longer valid ends its own schedule, and no other", async () => {
    const kit = suite();
    const [broken, gone, whole] = [
      await made(kit, { rrule: "FREQ=HOURLY" }),
      await made(kit, { rrule: "FREQ=HOURLY" }),
      await made(kit, { rrule: "FREQ=HOURLY" }),
    ];
    await store(kit, broken, "rrule", "FREQ=WEEKLY;BYDAY=1MO");
    await store(kit, gone, "time_zone", "Mars/Olympus");
    const ahead = await kit.request("GET", `/v1/schedules/${broken}/occurrences`);
    assert.deepEqual([ahead.status, ahead.body.data], [200, []]);
    await kit.advance(HOUR + 60);
    const statuses = await Promise.all([broken, gone, whole].map((id) => read(kit, id)));
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ["ended", "ended", "active"],
    );
    const [due] = await kit.rows(
      "select count(*)::int as n from schedules where status = 'ended' and due_at is not null",
    );
    assert.equal(due.n, 0);
    const { body } = await kit.request("GET", `/v1/schedules/${whole}/occurrences`);
    assert.ok(body.data.some((one: { status: string }) => one.status === "delivered"));
  });

  it("skipping occurrences passes a stored rule that is no longer valid", async () => {
    const kit = suite();
    const broken = await made(kit, { rrule: "FREQ=HOURLY" });
    await store(kit, broken, "time_zone", "Mars/Olympus");
    const [{ shard }] = await kit.rows("select shard from schedules where id = $1", [
      fromApiId("schedule", broken),
    ]);
    await skipOccurrencesBefore(kit.deps, shard, kit.deps.clock.now() + 2 * HOUR * 1_000);
    assert.equal((await read(kit, broken)).status, "ended");
  });

  it("an account has at most 500 active or paused schedules", async () => {
    const kit = suite();
    const id = await made(kit, { rrule: "FREQ=DAILY" });
    const [{ n }] = await kit.rows(
      "select count(*)::int as n from schedules where status <> 'ended' and account_id = (select account_id from schedules where id = $1)",
      [fromApiId("schedule", id)],
    );
    await kit.rows(
      `insert into schedules (shard, account_id, id, status, mode, to_number, sender, body, rrule, time_zone, created_at, updated_at)
       select shard, account_id, gen_random_uuid(), 'paused', mode, to_number, sender, body, rrule, time_zone, created_at, updated_at
         from schedules, generate_series(1, $1::int) where id = $2`,
      [SCHEDULES_MAX - n, fromApiId("schedule", id)],
    );
    const body = { ...SCHEDULE, rrule: "FREQ=DAILY" };
    const refused = await kit.request("POST", "/v1/schedules", { body });
    assertRefused(refused, 409, "limit_reached");
    assert.match(refused.body.error.message, /at most 500 schedules.*Delete one first/);
    assert.equal((await kit.request("DELETE", `/v1/schedules/${id}`)).status, 200);
    const both = await Promise.all(
      [0, 1].map(() => kit.request("POST", "/v1/schedules", { body })),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  });
});
