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
  "Operator":           "Calls for the operator of this installation. They use an operator token, not an API key.",
} as const;

export type Tag = keyof typeof TAGS;

/** Groups of calls that are not a tag of their own, by the path of their names. */
// biome-ignore format: one group per line, read as a table
export const CALL_GROUPS: Readonly<Record<string, string>> = {
  "portRequests":             "Numbers on their way from another provider.",
  "verifiedNumbers":          "Phones that sandbox messages reach for real, once a code proved them yours.",
  "usage":                    "Messages, codes and cost per day.",
  "liveAccess":               "The account's request to send for real.",
  "test":                     TAGS.Testing,
  "verify":                   TAGS.Verification,
  "auditLogs":                TAGS["Audit log"],
  "operator.accounts":        "Accounts of this installation: create, read, change.",
  "operator.keys":            "API keys of any account: create, list, roll, revoke.",
  "operator.credits":         "Money that an account paid in.",
  "operator.registrations":   "Registrations that wait for review.",
  "operator.portRequests":    "Port requests of any account, and their progress.",
  "operator.verifiedNumbers": "Verified numbers of any account.",
  "operator.verifyBlocks":    "Prefixes that fraud protection blocks.",
  "operator.auditLogs":       "Changes in every account.",
  "operator.clock":           "The test clock of this server.",
  "operator.carriers":        "Carriers, their links, and the file that declares them.",
  "operator.hold":            "A restored server: what it would send, and its release.",
  "operator.inventory":       "Live numbers for sale.",
  "operator.numbering":       "Numbering data: line types and carriers of number ranges.",
  "operator.tokens":          "Named tokens for calls of the operator: create, list, rotate, revoke.",
  "operator.operators":       "People with the operator role.",
  "operator.invitations":     "Invitations to the console of any account.",
};
