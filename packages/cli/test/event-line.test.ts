import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_TYPES } from "@longwave/contract";
import type { Event, WebhookDelivery } from "@longwave/sdk";
import { deliveryLine, describeEvent, eventLine } from "../src/event-line.ts";
import { newSince, oldestFirst } from "../src/logs.ts";
import { openTerminal } from "../src/terminal.ts";

const terminal = { ...openTerminal(false), color: false };
const [from, to] = ["+14155550100", "+15005550000"];

test("an event is one readable line", () => {
  const event = {
    id: "evt_1",
    object: "event",
    type: "message.received",
    created_at: "2026-11-18T22:54:59.123Z",
    data: { message_id: "msg_1", from, to, body: 'hi\u001b[31m\nthere "you"' },
  } as Event;
  assert.equal(
    eventLine(terminal, event),
    `2026-11-18 22:54:59Z  message.received        ${from} → ${to}  "hi [31m there "you""  evt_1`,
  );
});

test("events are described in words", () => {
  const failure = { code: "invalid_number", explanation: "No such number." };
  const cases: [string, object, string][] = [
    ["message.sent", { from, to, status: "sent", segments: 1 }, `${from} → ${to}  1 segment`],
    ["message.delivered", { to, latency_ms: 12 }, `→ ${to}  after 12 ms`],
    [
      "message.failed",
      { to, code: "x", reason: "y", failure },
      `→ ${to}  invalid_number: No such number.`,
    ],
    ["message.opted_out", { from, to, keyword: "STOP" }, `${from} → ${to}  "STOP"`],
    ["number.purchased", { phone_number: to, mode: "test" }, `${to}  mode test`],
    ["verification.approved", { phone: to, charged: false }, `${to}  not charged`],
    [
      "schedule.paused",
      { schedule_id: "sch_1", reason: "no_sender", occurrence_at: null },
      "schedule_id sch_1  reason no_sender",
    ],
    [
      "broadcast.complete",
      { batch_id: "bat_1", counts: { total: 2, failed: 0, delivered: 2 } },
      "bat_1  2 total, 2 delivered",
    ],
  ];
  for (const [type, data, line] of cases) {
    assert.equal(describeEvent(type, data as Record<string, unknown>), line);
  }
  for (const type of EVENT_TYPES)
    assert.doesNotMatch(describeEvent(type, {}), /[{}]|\[object/, type);
});

test("a delivery is one line with its result", () => {
  const delivery = {
    event_id: "evt_1",
    event_type: "message.sent",
    endpoint_id: "whe_1",
    attempt: 2,
    ok: false,
    status_code: null,
    error: "timeout",
    explanation: "No answer came within 5 seconds. Answer 2xx first, and do the work afterwards.",
    latency_ms: 5000,
    replay: true,
    created_at: "2026-11-18T22:54:59.123Z",
  } as WebhookDelivery;
  assert.equal(
    deliveryLine(terminal, delivery),
    "2026-11-18 22:54:59Z  → webhook               message.sent  timeout in 5000 ms (attempt 2, replay)  whe_1  evt_1  No answer came within 5 seconds. Answer 2xx first, and do the work afterwards.",
  );
  const answered = { ...delivery, ok: true, status_code: 200, error: null, explanation: null };
  assert.match(deliveryLine(terminal, answered), /message\.sent {2}200 in .* evt_1$/);
});

test("logs follow with what the page before lacks, and with nothing older", () => {
  const entry = (number: number) =>
    ({ id: `evt_${number}`, created_at: new Date(number * 1_000).toISOString() }) as Event;
  const page = (newest: number, items: number) =>
    Array.from({ length: items }, (_, index) => entry(newest - index));
  const fresh = (before: Event[], now: Event[]) => newSince(before, now).map(({ id }) => id);
  assert.deepEqual(fresh(page(200, 100), page(202, 100)), ["evt_202", "evt_201"]);
  assert.deepEqual(fresh([], page(2, 2)), ["evt_2", "evt_1"]);
  const oneDeleted = page(200, 101).filter(({ id }) => id !== "evt_150");
  assert.deepEqual(fresh(page(200, 100), oneDeleted), []);
});

test("logs keep the server's order within one millisecond", () => {
  const at = "2026-11-18T22:54:59.123Z";
  const event = (id: string) => ({ id, created_at: at }) as Event;
  const delivery = (id: string) => ({ id, created_at: at }) as WebhookDelivery;
  const merged = oldestFirst(
    [event("evt_3"), event("evt_2"), event("evt_1")],
    [delivery("whd_2"), delivery("whd_1")],
  );
  assert.deepEqual(
    merged.map(({ id }) => id),
    ["evt_1", "evt_2", "evt_3", "whd_1", "whd_2"],
  );
});
