import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { MessageRow } from "./message-row.ts";
import { messageText, presentMessage } from "./present.ts";

const UUID = fc.uuid({ version: 7 });
const MS = fc.integer({ min: 0, max: 4_102_444_800_000 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const TEXT = fc.string({ unit: "binary" });

const ROW: fc.Arbitrary<MessageRow> = fc.record({
  shard: fc.constant(0),
  account_id: UUID,
  id: UUID,
  direction: fc.constantFrom("outbound", "inbound"),
  status: fc.constantFrom("queued", "sent", "delivered", "failed", "received"),
  mode: fc.constantFrom("test", "live"),
  from_number: TEXT,
  to_number: TEXT,
  body: TEXT,
  encoding: fc.constantFrom("gsm7", "ucs2", "gsm7_smart"),
  segments: fc.nat(10),
  price_micros: fc.nat(100_000_000),
  billing: fc.constant("none"),
  simulated: fc.boolean(),
  auto_reply: fc.boolean(),
  customer_id: maybe(UUID),
  pool_id: maybe(UUID),
  batch_id: maybe(UUID),
  batch_index: maybe(fc.nat()),
  scheduled_message_id: maybe(UUID),
  schedule_id: maybe(UUID),
  run_id: maybe(UUID),
  expires_at: maybe(MS),
  quiet_hours: maybe(fc.nat()),
  verification_id: maybe(UUID),
  attempts: fc.nat(5),
  next_attempt_at: maybe(MS),
  from_service: fc.boolean(),
  awaiting_carrier: fc.boolean(),
  submitted_at: maybe(MS),
  failure_code: maybe(fc.constantFrom("landline", "carrier_rejected", "outcome_unknown")),
  carrier_code: maybe(TEXT),
  carrier: maybe(TEXT),
  created_at: MS,
  sent_at: maybe(MS),
  delivered_at: maybe(MS),
  failed_at: maybe(MS),
  metadata: maybe(fc.dictionary(TEXT, TEXT, { maxKeys: 3 })),
} satisfies Record<keyof MessageRow, fc.Arbitrary<unknown>>) as fc.Arbitrary<MessageRow>;

test("a message's JSON equals the serialized object, byte for byte", () => {
  fc.assert(
    fc.property(ROW, (row) => {
      assert.equal(messageText(row), JSON.stringify(presentMessage(row)));
    }),
  );
});
