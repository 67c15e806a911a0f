import type { MutatingRouteName } from "./audit-routes.ts";
import type { ErrorCode } from "./errors.ts";
import type { RouteName } from "./routes/index.ts";

/** Mutating routes that take an API key or a console session. The operator has no mode. */
export type ModedRouteName = Exclude<MutatingRouteName, `operator.${string}`>;

/**
 * Response of a mutating route when the named object belongs to the other mode:
 * - an error code: the route refuses and changes nothing. Two codes if they differ by the key's
 * mode;
 * - `own_mode`: the route acts on the key's mode and leaves the other mode unchanged;
 * - `both_modes`: the route acts on objects of both modes. Once live access is granted it takes a live key and answers
 *   a test key `mode_mismatch`;
 * - `shared`: the object has no mode, and keys of both modes change it.
 */
export type ModeRule =
  | ErrorCode
  | { readonly test: ErrorCode; readonly live: ErrorCode }
  | "own_mode"
  | "both_modes"
  | "shared";

/**
 * Modes never mix: mode rule of every mutating route. Total: a route without a line does not
 * compile. `packages/server/test/modes-walk.slow.test.ts` calls every refusing route with keys of both
 * modes. `redact_after_days` of `account.update` follows `both_modes`; the route's other fields are shared.
 */
// biome-ignore format: one route per line, read as a table
export const ROUTE_MODES = {
  "account.update":           "shared",
  "account.rollTwilioAuthToken": "own_mode",
  "numbers.create":           "number_unavailable",
  "numbers.update":           "mode_mismatch",
  "numbers.delete":           "mode_mismatch",
  "numbers.register":         { test: "live_access_required", live: "number_not_registerable" },
  "pools.create":             "mode_mismatch",
  "pools.update":             "mode_mismatch",
  "pools.delete":             "mode_mismatch",
  "imports.create":           "shared",
  "imports.cancel":           "shared",
  "customers.create":         "shared",
  "customers.update":         "shared",
  "customers.delete":         "shared",
  "consent.record":           "shared",
  "consent.import":           "shared",
  "contacts.upsert":          "shared",
  "contacts.update":          "shared",
  "contacts.delete":          "shared",
  "contacts.import":          "shared",
  "contacts.bulk":            "shared",
  "segments.create":          "shared",
  "segments.preview":         "shared",
  "segments.update":          "shared",
  "segments.delete":          "shared",
  "topics.create":            "shared",
  "topics.update":            "shared",
  "topics.delete":            "shared",
  "topics.subscribe":         "shared",
  "conversations.update":     "not_found",
  "conversations.addNote":    "not_found",
  "conversations.deleteNote": "not_found",
  "snippets.create":          "shared",
  "snippets.update":          "shared",
  "snippets.delete":          "shared",
  "messages.send":            "mode_mismatch",
  "scheduledMessages.delete": "not_found",
  "test.inbound":             "mode_mismatch",
  "events.replay":            "not_found",
  "hooks.create":             "own_mode",
  "hooks.update":             "not_found",
  "hooks.delete":             "not_found",
  "hooks.rotateSecret":       "not_found",
  "hooks.test":               "not_found",
  "webhooks.create":          "shared",
  "webhooks.update":          "shared",
  "webhooks.delete":          "shared",
  "webhooks.test":            "shared",
  "webhooks.rotateSecret":    "shared",
  "webhooks.replayFailed":    "own_mode",
  "batches.create":           "mode_mismatch",
  "batches.update":           "not_found",
  "batches.pause":            "not_found",
  "batches.resume":           "not_found",
  "batches.cancel":           "not_found",
  "batches.retry":            "not_found",
  "verify.start":             "mode_mismatch",
  "verify.check":             "not_found",
  "registrations.create":     "shared",
  "registrations.prefill":    "shared",
  "registrations.recheck":    "mode_mismatch",
  "registrations.submit":     "mode_mismatch",
  "automations.create":       "mode_mismatch",
  "automations.update":       "mode_mismatch",
  "automations.delete":       "mode_mismatch",
  "automations.test":         "mode_mismatch",
  "automations.track":        "own_mode",
  "schedules.create":         "mode_mismatch",
  "schedules.update":         "not_found",
  "schedules.delete":         "not_found",
  "schedules.pause":          "not_found",
  "schedules.resume":         "not_found",
  "spendLimit.update":        "shared",
  "erasures.create":          "both_modes",
  "messages.deleteBody":      "not_found",
  "verifiedNumbers.create":   "shared",
  "verifiedNumbers.confirm":  "shared",
  "verifiedNumbers.delete":   "shared",
  "liveAccess.request":       "shared",
} as const satisfies Record<ModedRouteName, ModeRule>;

/** Mutating routes that refuse objects of the other mode. */
export type GuardedRouteName = {
  [N in ModedRouteName]: (typeof ROUTE_MODES)[N] extends "shared" | "own_mode" | "both_modes"
    ? never
    : N;
}[ModedRouteName];

/** Error code with which a guarded route refuses a key of this mode. */
export function modeRefusal(name: GuardedRouteName, keyMode: "test" | "live"): ErrorCode {
  const rule: ErrorCode | { readonly test: ErrorCode; readonly live: ErrorCode } =
    ROUTE_MODES[name];
  return typeof rule === "string" ? rule : rule[keyMode];
}

/** Reading routes that take an API key or a console session. */
export type ReadRouteName = Exclude<RouteName, MutatingRouteName | `operator.${string}`>;

/**
 * Objects that a reading route shows a key:
 * - `own_mode`: objects, figures and states of the key's mode alone;
 * - `both_modes`: objects that have a mode and that keys of both modes see;
 * - `shared`: objects without a mode.
 */
export type ReadRule = "own_mode" | "both_modes" | "shared";

/**
 * Modes never mix: mode rule of every reading route. Total: a route without a line does not compile.
 * `packages/server/test/modes-reads.slow.test.ts` calls every `own_mode` route with keys of both modes.
 */
// biome-ignore format: one route per line, read as a table
export const READ_MODES = {
  "account.get":               "shared",
  "numbers.available":         "own_mode",
  "numbers.list":              "both_modes",
  "numbers.get":               "both_modes",
  "pools.list":                "both_modes",
  "pools.get":                 "both_modes",
  "portRequests.list":         "shared",
  "portRequests.get":          "shared",
  "imports.list":              "shared",
  "imports.get":               "shared",
  "customers.list":            "shared",
  "customers.get":             "shared",
  "customers.usage":           "own_mode",
  "consent.list":              "own_mode",
  "consent.get":               "own_mode",
  "consent.proof":             "own_mode",
  "contacts.list":             "own_mode",
  "contacts.get":              "own_mode",
  "segments.list":             "own_mode",
  "segments.get":              "own_mode",
  "topics.list":               "shared",
  "topics.get":                "shared",
  "topics.subscriptions":      "shared",
  "lookup.get":                "shared",
  "conversations.list":        "own_mode",
  "conversations.summary":     "own_mode",
  "conversations.get":         "own_mode",
  "conversations.notes":       "own_mode",
  "snippets.list":             "shared",
  "messages.list":             "own_mode",
  "messages.get":              "own_mode",
  "messages.timeline":         "own_mode",
  "scheduledMessages.list":    "own_mode",
  "scheduledMessages.get":     "own_mode",
  "events.list":               "own_mode",
  "events.wait":               "own_mode",
  "events.get":                "own_mode",
  "hooks.presets":             "shared",
  "hooks.list":                "own_mode",
  "hooks.get":                 "own_mode",
  "hooks.requests":            "own_mode",
  "webhooks.list":             "shared",
  "webhooks.deliveries":       "own_mode",
  "webhooks.undelivered":      "own_mode",
  "webhooks.get":              "shared",
  "exports.messages":          "own_mode",
  "exports.events":            "own_mode",
  "exports.consent":           "own_mode",
  "exports.contacts":          "own_mode",
  "exports.batchRecipients":   "own_mode",
  "exports.webhookDeliveries": "own_mode",
  "batches.list":              "own_mode",
  "batches.get":               "own_mode",
  "batches.recipients":        "own_mode",
  "batches.results":           "own_mode",
  "schedules.list":            "own_mode",
  "schedules.get":             "own_mode",
  "schedules.occurrences":     "own_mode",
  "automations.list":          "both_modes",
  "automations.get":           "both_modes",
  "automations.runs":          "own_mode",
  "automations.run":           "own_mode",
  "verify.stats":              "own_mode",
  "verify.decisions":          "own_mode",
  "verify.list":               "own_mode",
  "verify.get":                "own_mode",
  "registrations.list":        "shared",
  "registrations.get":         "shared",
  "spendLimit.get":            "shared",
  "usage.get":                 "own_mode",
  "deliverability.get":        "own_mode",
  "auditLogs.list":            "shared",
  "exports.auditLog":          "shared",
  "erasures.list":             "shared",
  "erasures.get":              "shared",
  "personalData.get":          "own_mode",
  "verifiedNumbers.list":      "shared",
  "verifiedNumbers.get":       "shared",
} as const satisfies Record<ReadRouteName, ReadRule>;

/** Reading routes that show a key its own mode alone. */
export type OwnModeReadName = {
  [N in ReadRouteName]: (typeof READ_MODES)[N] extends "own_mode" ? N : never;
}[ReadRouteName];
