import type { RouteName } from "./routes/index.ts";

/** What a person may be in an account. Each may do what those before it may. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Whether one role may do what another is named for. */
export function roleAllows(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/**
 * The least role for each call of the API when a person makes it in the console; `operator` is for
 * those who run the installation. Total: a route without a line here does not compile.
 */
// biome-ignore format: one route per line, read as a table
export const ROUTE_ROLES = {
  "account.get":               "viewer",
  "account.update":            "admin",
  "numbers.available":         "viewer",
  "numbers.list":              "viewer",
  "numbers.create":            "admin",
  "numbers.get":               "viewer",
  "numbers.update":            "member",
  "numbers.delete":            "admin",
  "numbers.register":          "admin",
  "pools.create":              "member",
  "pools.list":                "viewer",
  "pools.get":                 "viewer",
  "pools.update":              "member",
  "pools.delete":              "member",
  "customers.create":          "member",
  "customers.list":            "viewer",
  "customers.get":             "viewer",
  "customers.update":          "member",
  "customers.delete":          "admin",
  "customers.usage":           "viewer",
  "consent.list":              "viewer",
  "consent.get":               "viewer",
  "consent.proof":             "viewer",
  "consent.record":            "member",
  "consent.import":            "member",
  "messages.send":             "member",
  "messages.list":             "viewer",
  "messages.get":              "viewer",
  "messages.timeline":         "viewer",
  "scheduledMessages.list":    "viewer",
  "scheduledMessages.get":     "viewer",
  "scheduledMessages.delete":  "member",
  "test.inbound":              "member",
  "events.list":               "viewer",
  "events.get":                "viewer",
  "events.wait":               "viewer",
  "events.replay":             "member",
  "webhooks.create":           "member",
  "webhooks.list":             "viewer",
  "webhooks.deliveries":       "viewer",
  "webhooks.undelivered":      "viewer",
  "webhooks.get":              "viewer",
  "webhooks.update":           "member",
  "webhooks.delete":           "admin",
  "webhooks.test":             "member",
  "webhooks.rotateSecret":     "admin",
  "webhooks.replayFailed":     "member",
  "exports.webhookDeliveries": "admin",
  "batches.create":            "member",
  "batches.list":              "viewer",
  "batches.get":               "viewer",
  "batches.recipients":        "viewer",
  "batches.results":           "viewer",
  "batches.pause":             "member",
  "batches.resume":            "member",
  "batches.cancel":            "member",
  "batches.retry":             "member",
  "verify.start":              "member",
  "verify.check":              "member",
  "verify.stats":              "viewer",
  "verify.decisions":          "viewer",
  "verify.get":                "viewer",
  "registrations.create":      "member",
  "registrations.prefill":     "member",
  "registrations.list":        "viewer",
  "registrations.get":         "viewer",
  "registrations.recheck":     "member",
  "registrations.submit":      "admin",
  "usage.get":                 "viewer",
  "deliverability.get":        "viewer",
  "spendLimit.get":            "viewer",
  "spendLimit.update":         "admin",
  "operator.accounts.create":        "operator",
  "operator.accounts.list":          "operator",
  "operator.accounts.get":           "operator",
  "operator.accounts.update":        "operator",
  "operator.keys.create":            "operator",
  "operator.keys.list":              "operator",
  "operator.keys.roll":              "operator",
  "operator.keys.delete":            "operator",
  "operator.credits.create":         "operator",
  "operator.verifiedNumbers.create": "operator",
  "operator.verifiedNumbers.list":   "operator",
  "operator.clock.get":              "operator",
  "operator.clock.advance":          "operator",
  "operator.carriers.list":          "operator",
  "operator.inventory.create":       "operator",
  "operator.inventory.list":         "operator",
  "operator.registrations.list":     "operator",
  "operator.registrations.review":   "operator",
} as const satisfies Record<RouteName, Role | "operator">;

/** The console's own calls within an account, and the least role for each. */
// biome-ignore format: one action per line, read as a table
export const CONSOLE_ROLES = {
  "home.get":           "viewer",
  "keys.list":          "member",
  "keys.create":        "admin",
  "keys.roll":          "admin",
  "keys.delete":        "admin",
  "members.list":       "viewer",
  "members.invite":     "admin",
  "members.update":     "admin",
  "members.remove":     "admin",
  "members.reset":      "admin",
  "account.rename":     "owner",
} as const satisfies Record<string, Role>;

export type ConsoleAction = keyof typeof CONSOLE_ROLES;
