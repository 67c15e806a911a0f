/** A folder of `packages/server/src` with its purpose. */
export interface Layer {
  readonly name: string;
  readonly holds: string;
  /** Folders and files directly in the layer, top first. */
  readonly rooms: readonly string[];
}

/**
 * Layers of `packages/server/src`, top first. Code imports its own room, rooms further down in its
 * layer, and every layer below. `npm run check` enforces this order, and ARCHITECTURE.md shows it.
 */
// biome-ignore format: read as a table
export const SERVER_LAYERS: readonly Layer[] = [
  { name: "app", holds: "Composition root: starts the program, builds every service, lists handlers, lanes and tasks.",
    rooms: ["main.ts", "startup", "serve.ts", "handlers.ts", "functions.ts", "assemble.ts", "lanes.ts", "tasks.ts", "deps.ts"] },
  { name: "surfaces", holds: "Ways in beside the API's own resources: console, Twilio-compatible API, hooks, operator, reference.",
    rooms: ["health", "reference", "operator", "personal-data", "verified-numbers", "restore-guard", "console", "usage", "spend-limit", "twilio-hosts", "twilio-api", "hooks", "importer"] },
  { name: "messaging", holds: "Messages in and out, and everything that sends them.",
    rooms: ["recurring-schedules", "verify", "track", "automations", "inbound", "batches", "send", "scheduled-messages", "outbound", "conversations", "messages", "deliverability"] },
  { name: "people", holds: "Contacts, segments, topics, and the consent ledger.",
    rooms: ["segments", "contacts", "topics", "consent"] },
  { name: "network", holds: "Carriers, numbers, sender registrations, port requests, number lookup.",
    rooms: ["port-requests", "registrations", "lookup", "numbers", "carriers"] },
  { name: "events", holds: "The event log with its long poll, and signed webhooks.",
    rooms: ["webhooks", "log"] },
  { name: "account", holds: "Accounts, API keys, customers, billing, audit log.",
    rooms: ["keys", "customers", "accounts", "billing", "audit"] },
  { name: "http", holds: "Server, authentication, limits, body parsing, idempotency, and the types that handlers are written against.",
    rooms: ["server", "limits", "auth", "exchange", "request-log", "body", "api", "idempotency"] },
  { name: "core", holds: "Configuration, PostgreSQL, due work, clock, ids, secrets, outgoing HTTP.",
    rooms: ["installation.ts", "queue", "base.ts", "prices.ts", "quiet-law.ts", "config", "db", "platform"] },
];
