/** The families of calls, in the order the reference shows them. */
// biome-ignore format: one tag per line, read as a table
export const TAGS = {
  "Account":            "The account, and the key that asks.",
  "Messages":           "Send texts, read them, and see what became of them.",
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
  "Topics":             "What people can subscribe to and unsubscribe from.",
  "Consent":            "Opt-ins and opt-outs, and the evidence of them.",
  "Lookup":             "What is known about a phone number.",
  "Events":             "Everything that happened: a log to page through or to wait on.",
  "Webhooks":           "Endpoints that events are sent to, and every attempt made.",
  "Automations":        "Steps that run for a contact when something is tracked.",
  "Spend limit":        "The account's own monthly limit and its alerts.",
  "Deliverability":     "How much of the traffic arrives, by carrier, number and hour.",
  "Audit log":          "Who changed what, and when.",
  "Exports":            "Whole tables as CSV, streamed.",
  "Testing":            "Make a sandbox phone do something.",
  "Operator":           "What whoever runs this installation can do. Uses the operator token, not an API key.",
} as const;

export type Tag = keyof typeof TAGS;
