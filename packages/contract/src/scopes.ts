/** Scopes of a restricted key. A key without scopes has full access. */
// biome-ignore format: one scope per line, read as a table
export const SCOPES = {
  "messages:send":   "Send messages and batches, schedule them, and simulate inbound texts.",
  "messages:read":   "Read messages, batches, schedules and deliverability.",
  "numbers:read":    "List, search and read numbers and sender pools.",
  "numbers:write":   "Buy, change, link and release numbers; change sender pools.",
  "verify":          "Start and check verifications, and read them.",
  "consent":         "Read and write opt-ins and opt-outs.",
  "lookup":          "Look up phone numbers.",
  "webhooks":        "Read events and webhook deliveries, and replay events.",
  "webhooks:write":  "Create, change and delete webhook endpoints. Such a key can send every event to any address.",
  "customers":       "Read and write customers.",
  "contacts":        "Read and write contacts, segments and topics.",
  "registrations":   "Read and write sender registrations.",
  "billing":         "Read and change the spend limit.",
  "automations":     "Track events and manage automations.",
  "audit_logs:read": "Read and export the audit log.",
} as const;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];
