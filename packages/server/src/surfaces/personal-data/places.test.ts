/** Coverage: every column that can hold a phone number or a body is in a place of the erasure, or has a reason. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { type Person, PLACES, type Place } from "./places.ts";

const SCHEMA = new URL("../../core/db/schema/schema.sql", import.meta.url);

const OWN_WORDS = "words of the account about itself or its work; it changes or deletes them";
const OWN_NUMBERS = "numbers of accounts or of the operator";
const OPERATOR = "words of the operator";
const USERS = "the account's and the operator's own people";
const CODES = "a closed list, a code or an identifier";
const SECRETS = "a hash, a key or a secret";
const SERVER = "the server about itself";
const HOURS = "limits need it; swept within 48 hours, see docs/personal-data.md";

/** Columns that mean the same in every table. Columns with a closed list in a CHECK need no entry. */
const ANYWHERE: Readonly<Record<string, string>> = {
  carrier: OPERATOR,
  carrier_code: CODES,
  failure_code: CODES,
  mode: CODES,
  status: CODES,
};

/** Columns that an erasure leaves, by table: `columns: reason`. */
// biome-ignore format: read as a table
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  account_counters:         { "audit_hash consent_hash sandbox_consent_hash": SECRETS },
  account_deletions:        { name: OWN_WORDS, numbers: OWN_NUMBERS, "canceled report": CODES },
  account_imports:          { "plan error_message": "what the account imports: its own numbers and webhooks; swept after 91 days" },
  accounts:                 { name: OWN_WORDS },
  api_keys:                 { name: OWN_WORDS, "scopes allowed_ips": CODES, "sha256 last4": SECRETS },
  audit_log:                { "changes target_id": "append-only; kept until the account is deleted, see docs/personal-data.md",
                              "action actor_type actor_id target_type": CODES, "actor_name ip": USERS, "previous_hash hash": SECRETS },
  automation_versions:      { "trigger steps": OWN_WORDS },
  automations:              { name: OWN_WORDS, trigger_event: CODES },
  batch_pace:               { from_number: OWN_NUMBERS },
  batches:                  { "name body metadata audience": OWN_WORDS, from_number: OWN_NUMBERS, created_by: CODES },
  carrier_binds:            { "owner state last_error": SERVER },
  carrier_inbox:            { "dedupe_key reference": "the carrier's identifiers" },
  carrier_polls:            { page: "an address or a position in the carrier's list", last_error: SERVER },
  carrier_references:       { reference: "the carrier's identifiers" },
  carrier_short_references: { our_reference: CODES },
  carrier_unowned:          { last_number: "a number on this side, to which somebody wrote or from which a message left" },
  consent_ledger:           { source: "the origin of the consent, part of its proof", recorded_by: CODES, texted_number: OWN_NUMBERS, "previous_hash hash chain_hash": SECRETS },
  console_addresses:        { address: USERS },
  console_links:            { email: USERS, token_hash: SECRETS },
  console_notices:          { subject: CODES },
  console_sessions:         { "ip agent": USERS, token_hash: SECRETS },
  console_views:            { "page name query": "a user's saved filter; the user deletes it" },
  contact_imports:          { name: OWN_WORDS },
  contact_search:           { text: "rows of sixteen contacts; the deletion of a contact removes its lines" },
  customers:                { "name external_id metadata": OWN_WORDS },
  daily_sends:              { recipient: HOURS },
  database_identity:        { "home held_reason": SERVER },
  delivery_alarms:          { value: OWN_NUMBERS },
  delivery_hours:           { number: OWN_NUMBERS },
  erasures:                 { phone_number: "the erasure clears it when it completes", note: OWN_WORDS, report: CODES, phone_hash: SECRETS },
  events:                   { type: CODES },
  hooks:                    { "name sender declaration": OWN_WORDS, preset: CODES, secret: SECRETS,
                              recipients: "phones that the account's alerts go to; it changes them, and an erased number stays opted out" },
  hook_requests:            { "error_code error_message error_param paths": "the server's words about a call, and where it had values; swept after 7 days" },
  idempotency_keys:         { "key_hash fingerprint": SECRETS },
  imported_pools:           { foreign_id: CODES },
  installation:             { "root_key_check audit_hash": SECRETS },
  inventory_numbers:        { phone_number: OWN_NUMBERS, "country region locality area_code": CODES },
  jobs:                     { "task payload last_error": "payloads name records by id, and own numbers" },
  kept_callbacks:           { digest: SECRETS, content_type: CODES },
  ledger_entries:           { "kind period": CODES, note: OPERATOR },
  live_access_requests:     { "company website use_case": OWN_WORDS },
  message_costs:            { currency: CODES },
  messages:                 { "direction encoding billing": CODES },
  numbering_ranges:         { "locality region": CODES },
  numbers:                  { phone_number: OWN_NUMBERS, "country region locality area_code sender_reason": CODES, "label tags sms_url": OWN_WORDS,
                              "vouch_reason vouch_reference": OPERATOR },
  operator_tokens:          { name: OPERATOR, "sha256 last4": SECRETS },
  passkey_challenges:       { challenge: SECRETS },
  passkeys:                 { "credential_id public_key": SECRETS, "transports name": USERS },
  periodic_tasks:           { "name last_error": SERVER },
  pools:                    { name: OWN_WORDS },
  port_requests:            { phone_number: OWN_NUMBERS, "reason provider": OPERATOR },
  prices:                   { country: CODES, note: OPERATOR },
  quiet_laws:               { "edition hours author_id author_name": OPERATOR },
  registrations:            { "business_name website use_case given website_check rejection history": OWN_WORDS, registry_reference: CODES, limits: OPERATOR },
  reply_pairs:              { "low_number high_number": HOURS },
  request_log:              { "method code param": CODES },
  segments:                 { "name filter": OWN_WORDS },
  snippets:                 { "name folded_name body": OWN_WORDS },
  topics:                   { "name description": OWN_WORDS },
  users:                    { "email email_key name": USERS, "password_hash totp_secret recovery_codes": SECRETS },
  verification_blocks:      { "prefix rule": CODES },
  verification_counters:    { key: HOURS },
  verification_stops:       { phone: "the person asked for it, see docs/personal-data.md" },
  verification_targets:     { phone: HOURS },
  verifications:            { app_name: OWN_WORDS, from_number: OWN_NUMBERS },
  webhook_deliveries:       { event_type: CODES },
  webhook_endpoints:        { "url events description modes": OWN_WORDS, secret: SECRETS },
  workers:                  { "host roles": SERVER },
};

const CREATED_TABLE = /^create (?:unlogged )?table (\w+) \(\n([\s\S]*?)\n\)/gm;
/** Types that cannot hold digits or a body; every other type can. */
const WITHOUT_TEXT =
  /^(?:uuid|smallint|integer|bigint|boolean|real|double precision|date|timestamptz|numeric)(?:\[\])?$/;

/** `table.column` of every column that can hold text, without closed lists. */
async function textColumns(): Promise<string[]> {
  const schema = await readFile(SCHEMA, "utf8");
  return [...schema.matchAll(CREATED_TABLE)].flatMap(([, table = "", body = ""]) => {
    const lines = body.split("\n").map((line) => line.trim());
    const closed = new Set(lines.flatMap((line) => /^check \((\w+) in \('/.exec(line)?.[1] ?? []));
    return lines.flatMap((line) => {
      const [, column, type] = /^(\w+) (double precision|[\w[\]]+)/.exec(line) ?? [];
      const isColumn = column !== undefined && !/^(?:primary|unique|foreign|check) /.test(line);
      if (!isColumn || closed.has(column) || WITHOUT_TEXT.test(type ?? "")) return [];
      return [`${table}.${column}`];
    });
  });
}

/** Columns that the place deletes, changes or searches; `*`: whole rows of the person. */
function coveredBy({ searches, redacts }: Place): readonly string[] {
  if (searches) return searches;
  if (!redacts) return ["*"];
  const text = redacts("alias").parts.join("$");
  return [...text.matchAll(/(?:^|,)\s*(\w+) =/g)].map(([, column = ""]) => column);
}

const COVERED = new Set(
  PLACES.flatMap((place) => coveredBy(place).map((column) => `${place.table}.${column}`)),
);
const isCovered = (name: string): boolean =>
  COVERED.has(name) || COVERED.has(`${name.split(".")[0]}.*`);
const EXCEPTED = Object.entries(EXCEPTIONS).flatMap(([table, kept]) =>
  Object.keys(kept).flatMap((columns) => columns.split(" ").map((column) => `${table}.${column}`)),
);

test("every column that can hold a number or a body is in a place or has a reason to stay", async () => {
  const excepted = new Set(EXCEPTED);
  const forgotten = (await textColumns()).filter((name) => {
    const [, column = ""] = name.split(".");
    return !isCovered(name) && !excepted.has(name) && !(column in ANYWHERE);
  });
  assert.deepEqual(
    forgotten,
    [],
    "Add them to PLACES (places.ts), or to EXCEPTIONS with a reason.",
  );
});

test("exceptions name columns of the schema that no place covers", async () => {
  const columns = new Set(await textColumns());
  assert.ok(columns.size > 150, "the schema is read");
  assert.deepEqual(
    EXCEPTED.filter((name) => !columns.has(name) || isCovered(name)),
    [],
  );
});

/** Places whose records belong to both modes. */
const SHARED_PLACES = [
  "topic_subscriptions",
  "verified_numbers",
  "automation_resume_requests",
  "contacts",
  "lookup_findings",
];

test("an export of one mode leaves out the other's records in every place that has a mode", () => {
  const shard = 1;
  const accountId = "00000000-0000-0000-0000-000000000001";
  const person: Person = { shard, accountId, phone: "+14155552671" };
  const sharedPlaces = PLACES.filter(({ name, about, exported = about }) => {
    if (name === "simulated_receipts") return false; // never exported
    return exported({ ...person, mode: "test" }).values.length === exported(person).values.length;
  }).map(({ name }) => name);
  assert.deepEqual(sharedPlaces, SHARED_PLACES);
});

test("places search the columns that they name", () => {
  const person = {
    shard: 1,
    accountId: "00000000-0000-0000-0000-000000000001",
    phone: "+14155552671",
  };
  for (const { name, searches = [], about } of PLACES) {
    const text = about(person).parts.join("$");
    for (const column of searches) assert.match(text, new RegExp(`\\bt\\.${column}\\b`), name);
  }
});
