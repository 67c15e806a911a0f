import type { ConsoleAction } from "@longwave/contract";

/** Console calls that are not API routes: one for every action of the table. */
// biome-ignore format: one action per line, read as a table
export const OWN_CALLS: Readonly<Record<ConsoleAction, readonly [method: string, path: string, body?: object]>> = {
  "keys.list":      ["GET", "/keys"],
  "keys.create":    ["POST", "/keys"],
  "keys.roll":      ["POST", "/keys/none/roll"],
  "keys.delete":    ["DELETE", "/keys/none"],
  "requests.list":  ["GET", "/test/requests"],
  "ledger.list":    ["GET", "/ledger"],
  "customers.month": ["GET", "/test/customer-months?ids=none"],
  "automations.runs": ["GET", "/automation-runs?ids=none"],
  "home.get": ["GET", "/test/home"],
  "names.list": ["GET", "/names?phones=%2B14155550123"],
  "search.get": ["GET", "/test/search?q=ada"],
  "verifyBlocks.list": ["GET", "/test/verify-blocks"],
  "failures.count":  ["GET", "/test/failures?created_after=2026-01-01T00:00:00Z"],
  "traffic.before":  ["GET", "/test/traffic-before?hours=24&created_before=2026-01-01T00:00:00Z"],
  "webhooks.attempts": ["GET", "/test/webhooks/none/attempts?hours=24"],
  "events.attempts": ["GET", "/test/event-attempts?ids=none"],
  "numbers.traffic": ["GET", "/test/numbers/+15005550100/traffic"],
  "pools.traffic":   ["GET", "/test/pools/none/traffic"],
  "views.list":     ["GET", "/views"],
  "views.create":   ["POST", "/views", { page: "messages", name: "Failed", query: "status=failed" }],
  "views.delete":   ["DELETE", "/views/none"],
  "account.rename": ["PATCH", "", { name: "Other" }],
  "members.list":   ["GET", "/members"],
  "members.invite": ["POST", "/invitations", { email: "x@example.com", role: "viewer" }],
  "members.update": ["PATCH", "/members/none", { role: "viewer" }],
  "members.remove": ["DELETE", "/members/none"],
  "members.reset":  ["POST", "/members/none/reset-link"],
};
