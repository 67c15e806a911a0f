/** Tags of calls, in the order of the reference. */
// biome-ignore format: one tag per line, read as a table
export const TAGS = {
  "Account":            "The account, and the requesting key.",
  "Messages":           "Send texts, read them, and follow their delivery.",
  "Scheduled messages": "Single texts that wait for their time.",
  "Batches":            "One text to many recipients, with merge variables, pause, retry and results.",
  "Schedules":          "Texts that recur by a rule.",
  "Verification":       "One-time codes: send one, check one. Only a successful check is billed.",
  "Numbers":            "Search, buy, assign and release phone numbers.",
  "Pools":              "Groups of numbers that send as one; each recipient keeps the same member.",
  "Imports":            "Bring numbers, pools and webhooks over from another provider's account.",
  "Customers":          "The customers that numbers and traffic belong to.",
  "Registrations":      "Brand and campaign registrations, with website and example checks.",
  "Contacts":           "People: one contact per phone number.",
  "Segments":           "Saved filters over contacts.",
  "Topics":             "Topics that people can subscribe to and unsubscribe from.",
  "Consent":            "Opt-ins and opt-outs, and the evidence of them.",
  "Lookup":             "Data about phone numbers.",
  "Events":             "All events: a log to page through or to wait on.",
  "Webhooks":           "Endpoints that receive events, and every delivery attempt.",
  "Automations":        "Steps that run for a contact on a tracked event.",
  "Spend limit":        "The account's own monthly limit and its alerts.",
  "Deliverability":     "Delivery rates by carrier, number and hour.",
  "Audit log":          "Changes, with their actor and time.",
  "Exports":            "Whole tables as CSV, streamed.",
  "Testing":            "Simulate a sandbox phone.",
  "Operator":           "Calls for the operator of this installation. They use the operator token, not an API key.",
} as const;

export type Tag = keyof typeof TAGS;
