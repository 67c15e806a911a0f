/**
 * Every source of due work by the name that logs, metrics, /readyz and NOTIFY show. A new lane has
 * its line here, and its code in `src/lanes.ts`.
 */
// biome-ignore format: read as a table
export const LANES = {
  /** Texts to hand over now, or again. */
  dispatch:          "messages",
  /** Receipts of the simulated network. */
  simulatedReceipts: "simulated_receipts",
  scheduled:         "scheduled_messages",
  schedules:         "schedules",
  /** Runs of automations. */
  runs:              "automation_runs",
  batches:           "batches",
  /** Receipts that carriers brought. */
  receipts:          "carrier_receipts",
  /** Texts that carriers brought. */
  inbound:           "inbound_texts",
  webhooks:          "webhooks",
  /** Whatever has no table of its own. */
  jobs:              "jobs",
  numberCharges:     "number_charges",
  /** Work of the installation, by what becomes of missed periods. */
  periodic:          "periodic",
  periodicEach:      "periodic_each",
  upkeep:            "upkeep",
} as const;
