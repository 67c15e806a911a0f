import type { Message } from "@longwave/contract";
import { shape } from "../../core/platform/row-writer.ts";
import { encodingOf, isSmartEncoded, type MessageRow, presentFailure } from "./message-row.ts";

const NO_METADATA: Record<string, string> = Object.freeze({});

function metadataOf({ metadata }: Pick<MessageRow, "metadata">): Record<string, string> {
  return metadata ?? NO_METADATA;
}

const MESSAGE = shape<MessageRow, Message>((field) => ({
  id: field.id("message", "id"),
  object: field.constant("message"),
  status: field.plain("status"),
  direction: field.plain("direction"),
  from: field.text("from_number"),
  to: field.text("to_number"),
  body: field.text("body"),
  segments: field.number("segments"),
  encoding: field.made(encodingOf),
  smart_encoded: field.made(isSmartEncoded),
  price: field.usd("price_micros"),
  simulated: field.boolean("simulated"),
  auto_reply: field.boolean("auto_reply"),
  customer_id: field.id("customer", "customer_id"),
  pool_id: field.id("pool", "pool_id"),
  batch_id: field.id("batch", "batch_id"),
  scheduled_message_id: field.id("scheduled_message", "scheduled_message_id"),
  schedule_id: field.id("schedule", "schedule_id"),
  metadata: field.made(metadataOf),
  next_attempt_at: field.moment("next_attempt_at"),
  valid_for: field.made((row) =>
    row.expires_at === null ? null : Math.round((row.expires_at - row.created_at) / 1_000),
  ),
  failure: field.made((row) =>
    row.failure_code === null ? null : presentFailure(row.failure_code, row.carrier_code),
  ),
  carrier: field.text("carrier"),
  created_at: field.moment("created_at"),
  sent_at: field.moment("sent_at"),
  delivered_at: field.moment("delivered_at"),
  failed_at: field.moment("failed_at"),
}));

/** Builds the API's message object. */
export const presentMessage = MESSAGE.show;

/** Serialises the message object to JSON: the answer of every send. */
export const messageText = MESSAGE.write;
