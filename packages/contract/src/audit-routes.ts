import type { AuditAction } from "./audit-actions.ts";
import type { RouteName, Routes } from "./routes/index.ts";

/** The calls that can change something. */
export type MutatingRouteName = {
  [N in RouteName]: Routes[N]["method"] extends "GET" ? never : N;
}[RouteName];

/**
 * What each call that changes something is in the audit log; null where it is traffic, which is told of
 * by events, by the consent ledger or by its own records, and no change of how the account is set up.
 * People are data: who is a contact, their tags and what they subscribe to are not here; the segments
 * and topics by which they are chosen are settings, and are. Total: a route without a line here does not
 * compile.
 */
// biome-ignore format: one route per line, read as a table
export const ROUTE_AUDIT = {
  "account.update":            "account.updated",
  "numbers.create":            "number.purchased",
  "numbers.update":            "number.updated",
  "numbers.delete":            "number.released",
  "numbers.register":          "number.registered",
  "pools.create":              "pool.created",
  "pools.update":              "pool.updated",
  "pools.delete":              "pool.deleted",
  "customers.create":          "customer.created",
  "customers.update":          "customer.updated",
  "customers.delete":          "customer.deleted",
  "consent.record":            null,
  "consent.import":            null,
  "contacts.upsert":          null,
  "contacts.update":          null,
  "contacts.delete":          null,
  "contacts.import":          null,
  "contacts.bulk":            null,
  "segments.create":          "segment.created",
  "segments.preview":         null,
  "segments.update":          "segment.updated",
  "segments.delete":          "segment.deleted",
  "topics.create":            "topic.created",
  "topics.update":            "topic.updated",
  "topics.delete":            "topic.deleted",
  "topics.subscribe":         null,
  "messages.send":             null,
  "scheduledMessages.delete":  null,
  "test.inbound":              null,
  "events.replay":             null,
  "webhooks.create":           "webhook.created",
  "webhooks.update":           "webhook.updated",
  "webhooks.delete":           "webhook.deleted",
  "webhooks.test":             null,
  "webhooks.rotateSecret":     "webhook.secret_rotated",
  "webhooks.replayFailed":     null,
  "batches.create":            null,
  "batches.pause":             null,
  "batches.resume":            null,
  "batches.cancel":            null,
  "batches.retry":             null,
  "verify.start":              null,
  "verify.check":              null,
  "registrations.create":      "registration.created",
  "registrations.prefill":     null,
  "registrations.recheck":     "registration.rechecked",
  "registrations.submit":      "registration.submitted",
  "automations.create":        "automation.created",
  "automations.update":        "automation.updated",
  "automations.delete":        "automation.deleted",
  "automations.test":          null,
  "automations.track":         null,
  "schedules.create":          "schedule.created",
  "schedules.update":          "schedule.updated",
  "schedules.delete":          "schedule.deleted",
  "schedules.pause":           "schedule.paused",
  "schedules.resume":          "schedule.resumed",
  "spendLimit.update":         "spend_limit.updated",
  "verifiedNumbers.create":    "verified_number.created",
  "verifiedNumbers.confirm":   "verified_number.confirmed",
  "verifiedNumbers.delete":    "verified_number.deleted",
  "liveAccess.request":        "live_access.requested",
  "operator.verifyBlocks.delete":    "verify_block.lifted",
  "operator.accounts.create":        "account.created",
  "operator.accounts.update":        "account.updated",
  "operator.keys.create":            "api_key.created",
  "operator.keys.roll":              "api_key.rolled",
  "operator.keys.delete":            "api_key.revoked",
  "operator.credits.create":         "credit.created",
  "operator.verifiedNumbers.create": "verified_number.created",
  "operator.clock.advance":          null,
  "operator.carriers.reload":        null,
  "operator.inventory.create":       "inventory.loaded",
  "operator.numbering.load":         "numbering.loaded",
  "operator.registrations.review":   "registration.reviewed",
} as const satisfies Record<MutatingRouteName, AuditAction | null>;
