/** All limits of the API, with units in their names. */
export const MESSAGE_BODY_CHARS_MAX = 1600;
export const SCHEDULE_AHEAD_DAYS_MAX = 30;
export const AUTOMATIONS_MAX = 500;
export const AUTOMATION_STEPS_MAX = 50;
export const AUTOMATION_DEPTH_MAX = 5;
export const AUTOMATION_WAIT_SECONDS_MAX = 90 * 86_400;
export const TRACK_EVENTS_MAX = 100;
/** Runs that one call may start. */
export const TRACK_RUNS_MAX = 1_000;
export const TRACK_EVENT_CHARS_MAX = 100;
export const PROPERTIES_MAX = 50;
export const PROPERTY_KEY_CHARS_MAX = 100;
export const PROPERTY_CHARS_MAX = 500;
/** Active and paused recurring schedules of an account. */
export const SCHEDULES_MAX = 500;
export const RULE_CHARS_MAX = 500;
export const RULE_OCCURRENCES_MAX = 10_000;
export const TIME_ZONE_CHARS_MAX = 64;
export const OCCURRENCES_AHEAD_SHOWN = 10;
/** Consecutive failures after which a schedule pauses itself. */
export const SCHEDULE_FAILURES_MAX = 3;
/** Maximum lateness of an occurrence; later ones are skipped. */
export const OCCURRENCE_LATE_SECONDS_MAX = 3_600;
export const BATCH_RECIPIENTS_MAX = 10_000;
export const BATCH_NAME_CHARS_MAX = 80;
export const BATCH_ATTEMPTS_MAX = 3;
export const BATCH_VARIABLES_MAX = 100;
export const BATCH_VARIABLE_CHARS_MAX = 1600;
export const BATCH_PREVIEW_TEXTS_MAX = 3;
export const BATCH_REPLY_WINDOW_HOURS = 72;
export const LINE_TYPE_CHECKS_MAX = 500;
export const CONTACT_IMPORT_ROWS_MAX = 500;
export const CONTACT_BULK_IDS_MAX = 500;
export const TAG_CHARS_MAX = 40;
export const TAGS_PER_CONTACT_MAX = 50;
export const CONTACT_EMAIL_CHARS_MAX = 254;
export const CONTACT_ATTRIBUTES_MAX = 50;
export const CONTACT_ATTRIBUTE_KEY_CHARS_MAX = 40;
export const CONTACT_ATTRIBUTE_CHARS_MAX = 500;
export const SEGMENTS_MAX = 500;
export const SEGMENT_PREVIEW_CONTACTS_MAX = 5;
export const TOPICS_MAX = 100;
export const TOPIC_NAME_CHARS_MAX = 50;
export const TOPIC_DESCRIPTION_CHARS_MAX = 200;
export const CONSENT_IMPORT_NUMBERS_MAX = 500;
export const CONSENT_SOURCE_CHARS_MAX = 120;
/** Wording that a person agreed to. */
export const CONSENT_DISCLOSURE_CHARS_MAX = 2_000;
export const USER_AGENT_CHARS_MAX = 500;
export const IP_CHARS_MAX = 45;
export const CONSENT_HISTORY_ENTRIES_MAX = 1_000;
export const CONSENT_CUSTOMERS_SHOWN_MAX = 100;
export const CONSENT_PROOF_HASHES_MAX = 10_000;
export const REGISTRATION_NUMBERS_MAX = 49;
export const REGISTRATION_NAME_CHARS_MAX = 120;
export const REGISTRATION_DESCRIPTION_CHARS_MIN = 40;
export const REGISTRATION_DESCRIPTION_CHARS_MAX = 500;
export const REGISTRATION_CHECKS_PER_HOUR_MAX = 30;
export const SAMPLES_MIN = 2;
export const SAMPLES_MAX = 5;
export const SAMPLE_CHARS_MIN = 20;
export const SAMPLE_CHARS_MAX = 320;
export const WEBSITE_URL_CHARS_MAX = 2048;
/** Ids that a registry gives to campaigns, brands and resellers. */
export const REGISTRY_ID_CHARS_MAX = 64;
/** Pictures of the opt-in that a toll-free verification shows. */
export const OPT_IN_IMAGES_MAX = 5;
export const VERIFY_APP_NAME_CHARS_MAX = 24;
export const VERIFY_CODE_DIGITS = 6;
export const VERIFY_EXPIRES_SECONDS = 600;
export const VERIFY_CHECKS_MAX = 5;
export const VERIFY_SENDS_MAX = 5;
export const VERIFY_SENDS_WINDOW_SECONDS = 600;
export const VERIFY_SENDS_PER_DAY_MAX = 10;
export const VERIFY_ANSWERS_AFTER_END_HOURS = 24;
/** Consecutive wrong codes for one phone before it is locked out (NIST SP 800-63B). */
export const VERIFY_FAILURES_MAX = 100;
export const VERIFY_FAILURES_BLOCK_HOURS = 24;
export const VERIFY_CODE_INPUT_DIGITS_MIN = 4;
export const VERIFY_CODE_INPUT_DIGITS_MAX = 10;
export const VERIFY_STATS_HOURS_DEFAULT = 24;
export const VERIFY_STATS_HOURS_MAX = 720;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const IDEMPOTENCY_HOURS = 24;
export const PAGE_ITEMS_MAX = 100;
export const PAGE_ITEMS_DEFAULT = 25;
export const RECIPIENT_PAGE_ITEMS_MAX = 500;
export const RECIPIENT_PAGE_ITEMS_DEFAULT = 100;
export const LONG_POLL_SECONDS_MAX = 25;
export const LONG_POLL_SECONDS_DEFAULT = 20;
export const WEBHOOK_ENDPOINTS_MAX = 5;
export const WEBHOOK_DESCRIPTION_CHARS_MAX = 120;
export const WEBHOOK_URL_CHARS_MAX = 2048;
export const WEBHOOK_DEADLINE_MS = 5_000;
export const WEBHOOK_RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200, 43_200] as const;
export const WEBHOOK_RESPONSE_BYTES_MAX = 2_048;
export const HOOKS_MAX = 20;
export const HOOK_RECIPIENTS_MAX = 10;
/** Items of the list in one call of a hook. */
export const HOOK_ITEMS_PER_CALL_MAX = 1_000;
/** Paths in a hook's text: each is looked up for every item. */
export const HOOK_TEXT_PATHS_MAX = 30;
/** Messages that one call of a hook may cause. */
export const HOOK_MESSAGES_PER_CALL_MAX = 100;
export const HOOK_MESSAGES_PER_MINUTE_DEFAULT = 60;
export const HOOK_MESSAGES_PER_MINUTE_MAX = 6_000;
export const HOOK_MESSAGES_PER_PHONE_HOUR_DEFAULT = 20;
export const HOOK_MESSAGES_PER_PHONE_HOUR_MAX = 1_000;
export const HOOK_REQUEST_RETENTION_DAYS = 7;
export const HOOK_CALL_BYTES_MAX = 256 * 1024;
export const EVENT_RETENTION_DAYS = 30;
export const WEBHOOK_EVENTS_ITEMS_MAX = 100;
/** Replays, tests and replay-all runs per account. */
export const WEBHOOK_SENDS_PER_MINUTE_MAX = 10;
export const REPLAY_ALL_EVENTS_MAX = 50;
export const REPLAY_ALL_HOURS_MIN = 24;
export const REPLAY_ALL_HOURS_MAX = 168;
export const REPLAY_ALL_SECONDS_MAX = 300;
export const MESSAGE_RETRY_DELAYS_SECONDS = [30, 120, 600, 1_800, 7_200] as const;
/** Short delays, because a code expires after ten minutes. */
export const CODE_RETRY_DELAYS_SECONDS = [5, 15, 60] as const;
/**
 * A code from the service's own numbers is sent again when its carrier has not answered by then.
 */
export const CODE_RESENT_AFTER_SECONDS = 20;
export const AUTO_REPLY_SECONDS_MAX = 300;
export const OUTCOME_UNKNOWN_SECONDS = 900;
export const NO_RECEIPT_HOURS = 72;
export const SANDBOX_RECEIPT_MS = 300;
export const BODY_BYTES_MAX = 1024 * 1024;
export const LARGE_BODY_BYTES_MAX = 8 * 1024 * 1024;
export const NAME_CHARS_MAX = 120;
/** Stands for the number of a person in messages whose number was erased or redacted. No network has it. */
export const REDACTED_NUMBER = "+10000000000";
export const REDACT_AFTER_DAYS_MIN = 7;
export const REDACT_AFTER_DAYS_MAX = 3_650;
/** Rows of each place in an export of personal data. */
export const PERSONAL_DATA_ROWS_MAX = 1_000;
/** Prices of an installation that are in force or about to be. */
export const PRICES_MAX = 500;
export const PRICE_USD_MAX = 1_000;
export const PRICE_MARGIN_PERCENT_MAX = 1_000;
/** Operator tokens of an installation that work at a time. */
export const OPERATOR_TOKENS_MAX = 50;
export const KEY_NETWORKS_MAX = 20;
/** Time for which a rolled key may work beside its successor. */
export const KEY_OVERLAP_HOURS_MAX = 24;
export const NOTE_CHARS_MAX = 500;
export const CONVERSATION_NOTE_CHARS_MAX = 2000;
/** Notes of one conversation. */
export const CONVERSATION_NOTES_MAX = 500;
export const SNIPPET_NAME_CHARS_MAX = 80;
/** Saved replies of one account. */
export const SNIPPETS_MAX = 200;
export const RATE_LIMIT_DEFAULT_PER_SECOND = 100;
export const RATE_LIMIT_BURST_FACTOR = 2;
export const DAILY_LIVE_QUOTA_DEFAULT_MESSAGES = 2_000;
export const TAGS_PER_NUMBER_MAX = 50;
export const POOL_NUMBERS_MAX = 1_000;
export const INVENTORY_LOAD_NUMBERS_MAX = 10_000;
export const NUMBERING_BYTES_MAX = 64 * 1024 * 1024;
export const SEARCH_CHARS_MAX = 100;
export const EXTERNAL_ID_CHARS_MAX = 255;
/** Keys of a customer's metadata. */
export const METADATA_KEYS_MAX = 50;
/** Keys of the metadata of messages, batches, verifications and contacts. */
export const MESSAGE_METADATA_KEYS_MAX = 20;
export const METADATA_KEY_CHARS_MAX = 40;
export const METADATA_VALUE_CHARS_MAX = 500;
export const USAGE_DAYS_DEFAULT = 30;
export const USAGE_DAYS_MAX = 92;
export const NUMBER_UNPAID_DAYS_MAX = 30;
export const DELIVERABILITY_HOURS_DEFAULT = 24;
export const DELIVERABILITY_HOURS_MAX = 720;
export const DELIVERABILITY_NUMBERS_MAX = 100;
/** deliverability.degraded fires when this many messages of the last hour have a result, */
export const DEGRADED_MESSAGES_MIN = 50;
/** the rate is this many points below the previous 24 hours, */
export const DEGRADED_POINTS_MIN = 20;
/** and this many hours have passed since the same event. */
export const DEGRADED_QUIET_HOURS = 6;
export const VALID_FOR_SECONDS_MIN = 60;
export const VALID_FOR_SECONDS_MAX = 259_200;
/** A message this soon after one from the recipient is an answer, exempt from quiet hours. */
export const QUIET_ANSWER_HOURS = 24;
export const VERIFIED_NUMBERS_MAX = 10;
export const VERIFIED_NUMBER_CODE_SECONDS = 600;
export const VERIFIED_NUMBER_TRIES_MAX = 5;
export const VERIFIED_NUMBER_SENDS_MAX = 5;
/**
 * Real codes of POST /v1/verified_numbers per account; the next limit is per phone, over all
 * accounts.
 */
export const VERIFIED_NUMBER_SENDS_PER_ACCOUNT_DAY_MAX = 20;
export const VERIFIED_NUMBER_SENDS_PER_PHONE_DAY_MAX = 5;
/** Mailed invitations per account, and per address over all accounts; the inviter copies further links. */
export const INVITATION_MAILS_PER_ACCOUNT_DAY_MAX = 50;
export const INVITATION_MAILS_PER_ADDRESS_DAY_MAX = 3;
/** Mailed reset links per user that other members request. */
export const RESET_MAILS_PER_USER_DAY_MAX = 3;
/**
 * Sandbox messages to verified numbers that are really sent; the service simulates the rest of the
 * day's.
 */
export const SANDBOX_REAL_MESSAGES_PER_DAY_MAX = 50;
export const LIVE_ACCESS_TEXT_CHARS_MAX = 500;
export const LIVE_ACCESS_VOLUME_MAX = 1_000_000_000;
export const SPEND_LIMIT_USD_MAX = 10_000_000;
export const SPEND_ALERT_THRESHOLDS_MAX = 10;
/** Default percentages of the spend limit that trigger an alert. */
export const SPEND_ALERT_THRESHOLDS_DEFAULT: readonly number[] = [50, 80, 100];
/** Cooldown before a released live number can be bought again. */
export const NUMBER_REST_DAYS = 30;
export const CONTAINS_DIGITS_MAX = 10;
/** Form body of the Twilio-compatible API. */
export const TWILIO_FORM_BYTES_MAX = 64 * 1024;
export const TWILIO_FORM_FIELDS_MAX = 100;
export const TWILIO_PAGE_ITEMS_DEFAULT = 50;
export const TWILIO_PAGE_ITEMS_MAX = 1_000;
/** Replies to one message from a TwiML document. */
export const TWILIO_REPLIES_MAX = 10;
/** TwiML replies between two numbers, both directions together, within the window. */
export const TWILIO_REPLIES_PER_PAIR_MAX = 15;
export const TWILIO_REPLIES_WINDOW_SECONDS = 30;
/** TwiML replies of one account's sandbox numbers per UTC day. */
export const SANDBOX_REPLIES_PER_DAY_MAX = 1_000;
export const CREDENTIAL_CHARS_MAX = 200;
/** Numbers that one call takes over from a provider. */
export const TAKEN_NUMBERS_MAX = 500;
/** Numbers of an imported account; the import reports more, and skips them. */
export const IMPORT_NUMBERS_MAX = 2_000;
export const IMPORT_SERVICES_MAX = 200;
/** Networks whose rate and daily cap a registration holds. */
export const NETWORK_LIMITS_MAX = 20;
export const NETWORK_NAME_CHARS_MAX = 60;
export const SEGMENTS_PER_MINUTE_MAX = 1_000_000;
export const SEGMENTS_PER_DAY_MAX = 1_000_000_000;
