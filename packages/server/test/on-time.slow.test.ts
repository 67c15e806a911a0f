import assert from "node:assert/strict";
import { test } from "node:test";
import { SANDBOX_RECEIPT_MS } from "@longwave/contract";
import { giveNumber } from "../testing/give-number.ts";
import { createHook, LOCAL_TARGETS, log, startHookReceiver } from "../testing/hook-receiver.ts";
import { type Kit, startKit, startKitOn } from "../testing/kit.ts";
import { medianOf, watchRoundTrips } from "../testing/round-trips.ts";
import { until } from "../testing/until.ts";

const FROM = "+15005550100";
const TO = "+15005550000";
const LATE_MS_MAX = 100;
/** Allowance for a busy machine, in its own round trips. */
const ROUND_TRIPS = 20;
const ROUNDS = 9;

/** Starts an API process and a worker process: rows that the one writes fall due in the other. */
async function twoProcesses(t: Parameters<typeof startKit>[0]) {
  const asking = await startKit(t, { LONGWAVE_ROLES: "api", ...LOCAL_TARGETS });
  const working = await startKitOn(t, asking.connection, LOCAL_TARGETS);
  await giveNumber(asking, { phone: FROM });
  return { asking, working };
}

const read = async (kit: Kit, path: string) => (await kit.request("GET", path)).body;
const send = async (kit: Kit, more: object = {}) => {
  const body = { to: TO, from: FROM, body: "On time", ...more };
  const answer = await kit.request("POST", "/v1/messages", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};

/** Schedules a message `ms` ahead; repeats a request that took longer than that. */
async function scheduleAhead(kit: Kit, ms: number): Promise<{ id: string; dueAt: number }> {
  let made = { id: "", dueAt: 0 };
  await until(async () => {
    const dueAt = kit.deps.clock.now() + ms;
    const body = { to: TO, from: FROM, body: "On time", scheduled_at: new Date(dueAt) };
    const answer = await kit.request("POST", "/v1/messages", { body });
    if (answer.status !== 201) assert.match(answer.body.error?.message, /must be in the future/);
    made = { id: answer.body.id, dueAt };
    return answer.status === 201;
  });
  return made;
}

/** Asserts that nothing is early, and that the median lateness is within the limit. */
function assertOnTime(lateMs: readonly number[], roundTripMs: number): void {
  assert.ok(
    lateMs.every((late) => late >= 0),
    `never early: ${lateMs}`,
  );
  const allowedMs = LATE_MS_MAX + ROUND_TRIPS * roundTripMs;
  assert.ok(medianOf(lateMs) <= allowedMs, `${lateMs} ms late, ${allowedMs} allowed`);
}

test("receipts are stored within 100 ms of their time, by another process than the sender", async (t) => {
  const { asking } = await twoProcesses(t);
  const roundTripMs = watchRoundTrips(asking);
  const lateMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await send(asking);
    let message = await read(asking, `/v1/messages/${id}`);
    await until(async () => {
      message = await read(asking, `/v1/messages/${id}`);
      return message.status === "delivered";
    });
    const dueAt = Date.parse(message.sent_at) + SANDBOX_RECEIPT_MS;
    lateMs.push(Date.parse(message.delivered_at) - dueAt);
  }
  assertOnTime(lateMs, await roundTripMs());
});

test("scheduled messages are sent within 100 ms of their time, before or after the next poll", async (t) => {
  const { asking } = await twoProcesses(t);
  const roundTripMs = watchRoundTrips(asking);
  // Some fall due before a worker's next poll, some after several polls.
  const aheadMs = [400, 650, 900, 1_300, 1_700, 2_100, 2_450, 2_800, 3_100];
  const made = await Promise.all(aheadMs.map((ms) => scheduleAhead(asking, ms)));
  const scheduled = new Map<string, string>();
  await until(async () => {
    for (const { id } of made) {
      const one = await read(asking, `/v1/scheduled_messages/${id}`);
      if (one.message_id !== null) scheduled.set(id, one.message_id);
    }
    return scheduled.size === made.length;
  });
  const lateMs = await Promise.all(
    made.map(async ({ id, dueAt }) => {
      const message = await read(asking, `/v1/messages/${scheduled.get(id)}`);
      return Date.parse(message.created_at) - dueAt;
    }),
  );
  assertOnTime(lateMs, await roundTripMs());
});

test("advance is exact over two processes: when it responds, messages are sent, delivered and reported to webhooks", async (t) => {
  const { asking, working } = await twoProcesses(t);
  const receiver = await startHookReceiver(t);
  await createHook(asking, receiver.url("/all"), { events: ["message.delivered"] });
  let delivered = 0;
  for (const [round, kit] of [asking, working, asking, working].entries()) {
    const ids = await Promise.all(
      [10, 20, 30].map(async (seconds) => {
        const at = new Date(asking.deps.clock.now() + seconds * 1_000).toISOString();
        return (await send(asking, { scheduled_at: at })).id as string;
      }),
    );
    delivered += ids.length;
    // Two advances, the second of which finds nothing left by the first.
    for (const seconds of [25, 15]) await kit.advance(seconds);
    for (const id of ids) {
      const one = await read(asking, `/v1/scheduled_messages/${id}`);
      assert.equal(one.status, "sent", `round ${round}`);
      const message = await read(asking, `/v1/messages/${one.message_id}`);
      assert.equal(message.status, "delivered", `round ${round}`);
    }
    assert.equal(receiver.at("/all").length, delivered, `round ${round}: webhooks`);
    assert.equal((await log(asking)).length, delivered, `round ${round}: their log`);
  }
});
