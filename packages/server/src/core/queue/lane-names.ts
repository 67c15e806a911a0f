/**
 * Name of every lane, as logs, metrics, /readyz and NOTIFY show it. A new lane needs a line here, and one in
 * `app/lanes.ts`.
 */
// biome-ignore format: read as a table
export const LANES = {
  /** Messages due for their first submit or a retry. */
  dispatch:          "messages",
  /** Receipts of the simulated network. */
  simulatedReceipts: "simulated_receipts",
  scheduled:         "scheduled_messages",
  schedules:         "schedules",
  /** Steps of automation runs. */
  runs:              "automation_runs",
  batches:           "batches",
  /** Receipts that carriers delivered. */
  receipts:          "carrier_receipts",
  /** Inbound messages that carriers delivered. */
  inbound:           "inbound_texts",
  webhooks:          "webhooks",
  /** Work without a table of its own. */
  jobs:              "jobs",
  numberCharges:     "number_charges",
  /** Periodic tasks, by how missed periods are made up. */
  periodic:          "periodic",
  periodicEach:      "periodic_each",
  upkeep:            "upkeep",
} as const;
