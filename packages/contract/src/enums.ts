/** Closed lists of values, except the states of state machines (see `machines`). */

export const ACCOUNT_STATUSES = ["active", "suspended"] as const;
export const LIVE_ACCESS_STATES = ["none", "requested", "granted", "rejected"] as const;

export const KEY_MODES = ["test", "live"] as const;
export type Mode = (typeof KEY_MODES)[number];
export const PHRASE_OPT_OUT_MODES = ["opt_out", "flag"] as const;

export const MESSAGE_DIRECTIONS = ["outbound", "inbound"] as const;
export const MESSAGE_ENCODINGS = ["gsm7", "ucs2"] as const;

export const TIMELINE_STEPS = [
  "accepted",
  "quiet_hours",
  "handed_over",
  "carrier_accepted",
  "carrier_deferred",
  "carrier_rejected",
  "outcome_unknown",
  "receipt",
  "delivered",
  "failed",
  "received",
  "webhook_attempt",
  "waiting",
] as const;

export const CONVERSATION_STATUSES = ["open", "closed"] as const;
/** Parts of a conversation that a call can change. */
export const CONVERSATION_CHANGES = ["status", "assignee", "read", "reply", "notes"] as const;

/** Default `source` of opt-outs and opt-ins by message, of imports, and of a contact's own opt-in. */
export const CONSENT_SOURCE_TEXT = "inbound_text";
export const CONSENT_SOURCE_IMPORT = "import";
export const CONSENT_SOURCE_CONTACT = "contact";
/** Source of opt-outs that a carrier reported with a refusal or a receipt. */
export const CONSENT_SOURCE_CARRIER = "carrier";

export const CONSENT_STATUSES = ["opted_in", "opted_out"] as const;
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];
/** Statuses of a ledger entry. `flagged` changes nothing: a person should read the message. */
export const CONSENT_ENTRY_STATUSES = ["opted_in", "opted_out", "flagged"] as const;
export type ConsentEntryStatus = (typeof CONSENT_ENTRY_STATUSES)[number];
export const CONSENT_MATCHES = ["keyword", "phrase"] as const;
export type ConsentMatch = (typeof CONSENT_MATCHES)[number];
/** Kind of agreement. Implied consent ends: Canada's CASL knows it after an inquiry and after a purchase. */
/** Fields of a batch that choose its recipients. */
export const BATCH_SOURCES = ["recipients", "tags", "contact_ids", "segment_id"] as const;
export type BatchSource = (typeof BATCH_SOURCES)[number];
export const CONSENT_BASES = ["express", "implied_inquiry", "implied_purchase"] as const;
export type ConsentBasis = (typeof CONSENT_BASES)[number];
export const IMPLIED_CONSENT_MONTHS: Readonly<Record<ConsentBasis, number | null>> = {
  express: null,
  implied_inquiry: 6,
  implied_purchase: 24,
};
export const CONSENT_IMPORT_SKIPS = ["malformed", "opted_out", "invalid_date"] as const;
export type ConsentImportSkip = (typeof CONSENT_IMPORT_SKIPS)[number];

export const AUTOMATION_REENTRIES = ["any", "one_at_a_time", "once"] as const;
export type AutomationReentry = (typeof AUTOMATION_REENTRIES)[number];
export const AUTOMATION_STEP_TYPES = [
  "send",
  "wait",
  "if",
  "add_tags",
  "remove_tags",
  "subscribe",
  "unsubscribe",
  "event",
  "exit",
] as const;
export type AutomationStepType = (typeof AUTOMATION_STEP_TYPES)[number];
/** Result of a step. In a test run, waits are `skipped`, and tags and topics only `told`. */
export const AUTOMATION_STEP_RESULTS = [
  "done",
  "sent",
  "waiting",
  "waited",
  "event",
  "timed_out",
  "then",
  "else",
  "skipped",
  "told",
  "failed",
] as const;
export type AutomationStepResult = (typeof AUTOMATION_STEP_RESULTS)[number];

/** Statuses of a schedule's occurrence in the API; `upcoming` ones have no row yet. */
export const OCCURRENCE_STATUSES = ["upcoming", "sent", "delivered", "failed", "skipped"] as const;
export const OCCURRENCE_SKIP_REASONS = ["recipient_opted_out", "missed"] as const;
export type OccurrenceSkipReason = (typeof OCCURRENCE_SKIP_REASONS)[number];
export const SCHEDULE_PAUSE_REASONS = [
  "recipient_opted_out",
  "repeated_failures",
  "sender_unavailable",
] as const;
export type SchedulePauseReason = (typeof SCHEDULE_PAUSE_REASONS)[number];
export const CONTACT_BULK_ACTIONS = ["add_tags", "remove_tags", "delete"] as const;
export type ContactBulkAction = (typeof CONTACT_BULK_ACTIONS)[number];
/** Reasons why a dry run of an import rejects a row. */
export const CONTACT_REJECTIONS = ["malformed", "duplicate", "landline"] as const;
export type ContactRejection = (typeof CONTACT_REJECTIONS)[number];
export const TOPIC_DEFAULTS = ["subscribed", "unsubscribed"] as const;
export type TopicDefault = (typeof TOPIC_DEFAULTS)[number];
/** `unknown` when no data says otherwise: the service never guesses a line type. */
export const LINE_TYPES = ["mobile", "landline", "voip", "toll_free", "unknown"] as const;
export type LineType = (typeof LINE_TYPES)[number];
/** Columns of a numbering data file, in order. */
export const NUMBERING_COLUMNS = ["npa_nxx", "line_type", "carrier", "locality", "region"] as const;

export const NUMBER_TYPES = ["local", "toll_free"] as const;
export type NumberType = (typeof NUMBER_TYPES)[number];
/** Methods of a call to a number's `sms_url`. */
export const SMS_METHODS = ["GET", "POST"] as const;
export type SmsMethod = (typeof SMS_METHODS)[number];
export const NUMBER_STATUSES = ["active", "released"] as const;
export const INVENTORY_STATUSES = ["available", "sold", "resting"] as const;

export const WEBHOOK_ERRORS = [
  "timeout",
  "refused",
  "dns",
  "tls",
  "blocked",
  "unreachable",
] as const;
export type WebhookError = (typeof WEBHOOK_ERRORS)[number];

/** Reason and next step of an attempt without an answer. */
// biome-ignore format: one error per line, read as a table
export const WEBHOOK_ERROR_TEXTS: Readonly<Record<WebhookError, string>> = {
  timeout:     "The endpoint did not answer within 5 seconds. Answer first and work afterwards.",
  refused:     "Nothing listens at that address and port. Start the receiver, or correct the URL.",
  dns:         "The host name does not resolve to an address. Correct the URL or its DNS records.",
  tls:         "The TLS connection failed: the certificate is expired, self-signed or issued for another name. Install one for the host of the URL.",
  blocked:     "The host leads to an address that is not public. Use a public one; in development, `longwave listen` forwards events to your machine; the operator may allow a private host with LONGWAVE_WEBHOOK_PRIVATE_TARGETS.",
  unreachable: "No connection came about, or it broke before the answer. Check that the host can be reached from the internet.",
};

/** Kinds of pending work in a restored database that send messages. */
export const HELD_KINDS = [
  "message",
  "scheduled_message",
  "batch",
  "schedule",
  "automation_run",
] as const;

export const LINK_STATES = ["up", "connecting", "down"] as const;
/** Protocols of the carriers file. */
export const CARRIER_TYPES = ["simulator", "smpp", "http"] as const;

/** Every rule of fraud protection; `verification.blocked` names one as its reason. */
export const VERIFICATION_RULES = [
  "destination",
  "line_type",
  "service_loss",
  "prefix_blocked",
  "neighbouring_numbers",
  "prefix_velocity",
  "exchange_velocity",
  "phone_velocity",
  "ip_velocity",
  "account_velocity",
  "burst",
  "free_account",
  "low_conversion",
] as const;
export type VerificationRule = (typeof VERIFICATION_RULES)[number];

/** Reasons why a batch skips a row, in order of precedence. */
export const REJECTION_REASONS = [
  "malformed",
  "duplicate",
  "opted_out",
  "opt_in_required",
  "topic_unsubscribed",
  "landline",
  "missing_variable",
  "too_long",
  "unknown_contact",
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

export const REGISTRATION_USE_CASES = [
  "2fa",
  "account_notification",
  "customer_care",
  "delivery_notification",
  "fraud_alert",
  "higher_education",
  "marketing",
  "mixed",
  "polling_voting",
  "public_service_announcement",
  "security_alert",
  "low_volume",
] as const;
export type RegistrationUseCase = (typeof REGISTRATION_USE_CASES)[number];
/** `campaign`: 10DLC, for local numbers. `toll_free`: toll-free verification. */
export const REGISTRATION_KINDS = ["campaign", "toll_free"] as const;
export type RegistrationKind = (typeof REGISTRATION_KINDS)[number];
/** Messages a month that a toll-free verification may state. */
export const TOLL_FREE_VOLUMES = [
  "10",
  "100",
  "1,000",
  "10,000",
  "100,000",
  "250,000",
  "500,000",
  "750,000",
  "1,000,000",
  "5,000,000",
  "10,000,000+",
] as const;
export const BRAND_ENTITY_TYPES = [
  "PRIVATE_PROFIT",
  "PUBLIC_PROFIT",
  "NON_PROFIT",
  "GOVERNMENT",
  "SOLE_PROPRIETOR",
] as const;
export const SAMPLE_SOURCES = ["starter", "customer"] as const;
export const FINDING_LEVELS = ["fail", "warn", "pass"] as const;
export const PAGE_FOUND_BY = ["given", "link", "guess", "none"] as const;
/** `delivered` means the operator of the service. */
export const NEXT_ACTORS = ["you", "delivered", "carriers", "nobody"] as const;
export const HISTORY_ACTORS = ["customer", "delivered", "system"] as const;
export const REVIEW_DECISIONS = [
  "in_review",
  "approve",
  "reject",
  "suspend",
  "expire",
  "reinstate",
] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

export const ERASURE_STATUSES = ["running", "complete"] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** Data that the deletion of an account does not reach. */
export const ACCOUNT_REMAINS = [
  "backups",
  "carrier_references",
  "unmatched_carrier_traffic",
  "unreadable_callbacks",
  "installation_audit_log",
  "server_logs",
  "carrier_records",
] as const;
export type AccountRemains = (typeof ACCOUNT_REMAINS)[number];

/** Scopes of a drop in deliverability. */
export const DELIVERABILITY_SCOPES = ["all", "carrier", "number"] as const;
export type DeliverabilityScope = (typeof DELIVERABILITY_SCOPES)[number];

/** Whether the phone's owner has returned the code. */
export const VERIFIED_NUMBER_STATUSES = ["pending", "verified"] as const;

/** Providers whose accounts can be imported. */
export const IMPORT_PROVIDERS = ["twilio", "telnyx"] as const;
export type ImportProvider = (typeof IMPORT_PROVIDERS)[number];
export const IMPORT_PHASES = ["reading", "writing"] as const;
export type ImportPhase = (typeof IMPORT_PHASES)[number];
export const IMPORT_ACTIONS = ["create", "exists", "skip"] as const;
/** Reasons why an import skips an item. */
export const IMPORT_SKIPS = [
  "other_country",
  "no_sms",
  "past_limit",
  "not_portable",
  "taken",
  "no_numbers",
  "not_https",
  "not_public",
  "past_fifth",
] as const;
export type ImportSkip = (typeof IMPORT_SKIPS)[number];
/** Reasons why an import fails. */
export const IMPORT_FAILURES = [
  "provider_refused",
  "provider_limited",
  "provider_unavailable",
  "provider_answer",
  "interrupted",
  "internal",
] as const;
export type ImportFailure = (typeof IMPORT_FAILURES)[number];

/** Fields about the organisation of a registration; all are required before filing. */
export const BRAND_FIELDS = [
  "legal_name",
  "entity_type",
  "ein",
  "street",
  "city",
  "state",
  "postal_code",
  "country",
  "vertical",
  "contact_email",
  "contact_phone",
] as const;
export type BrandField = (typeof BRAND_FIELDS)[number];
/** Fields that toll-free verification asks beside those of the organisation. */
export const TOLL_FREE_FIELDS = [
  "business_registration_number",
  "business_registration_type",
  "business_registration_country",
  "monthly_volume",
  "contact_first_name",
  "contact_last_name",
  "opt_in_image_urls",
] as const;
export type TollFreeField = (typeof TOLL_FREE_FIELDS)[number];

/** Roles of a person in an account, each including those before it. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Programs whose calls have a preset. */
export const HOOK_PRESET_NAMES = [
  "alertmanager",
  "auth0",
  "authentik",
  "gatus",
  "grafana",
  "home_assistant",
  "keycloak",
  "kratos",
  "listmonk",
  "novu",
  "supabase",
  "uptime_kuma",
  "zitadel",
] as const;
export type HookPresetName = (typeof HOOK_PRESET_NAMES)[number];
