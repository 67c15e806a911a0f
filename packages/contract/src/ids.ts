/** Every kind of id, and its prefix on the wire. */
// biome-ignore format: one prefix per line, read as a table
export const ID_PREFIXES = {
  account: "acct_",
  account_deletion: "adl_",
  account_import: "aim_",
  api_key: "key_",
  audit_log: "aud_",
  automation: "aut_",
  automation_run: "run_",
  batch: "bat_",
  consent_entry: "cse_",
  contact: "con_",
  contact_import: "imp_",
  conversation_note: "note_",
  customer: "cus_",
  erasure: "ers_",
  event: "evt_",
  hook: "hook_",
  hook_request: "hkr_",
  kept_callback: "kcb_",
  message: "msg_",
  operator_token: "opt_",
  pool: "pool_",
  price: "prc_",
  quiet_law: "qlw_",
  port_request: "prt_",
  registration: "reg_",
  request: "req_",
  schedule: "rec_",
  scheduled_message: "sch_",
  segment: "seg_",
  snippet: "snip_",
  topic: "top_",
  user: "usr_",
  verification: "ver_",
  webhook_delivery: "whd_",
  webhook_endpoint: "we_",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Part after the prefix: a UUIDv7 as 26 lower-case Crockford base32 characters. */
const ID_SUFFIX_PATTERN = "[0-7][0-9a-hjkmnp-tv-z]{25}";

/** Schema pattern of one kind of id. */
export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}${ID_SUFFIX_PATTERN}$`;
}
