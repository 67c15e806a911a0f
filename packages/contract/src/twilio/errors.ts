import type { ErrorCode } from "../errors.ts";
import type { FailureCode } from "../failures.ts";

interface TwilioErrorSpec {
  readonly status: number;
  /** Default message, unless our own error has a better one. */
  readonly message: string;
}

/** Twilio error codes of the Twilio-compatible API, with their HTTP status. */
// biome-ignore format: one error per line, read as a table
export const TWILIO_ERRORS = {
  20001: { status: 400, message: "A parameter is not valid." },
  20003: { status: 401, message: "Authenticate" },
  20004: { status: 405, message: "This path does not take this method." },
  20005: { status: 403, message: "The account is not active." },
  20008: { status: 403, message: "This needs live access." },
  20403: { status: 403, message: "This key may not do that." },
  20404: { status: 404, message: "The requested resource was not found." },
  20409: { status: 409, message: "The request conflicts with an earlier one." },
  20413: { status: 413, message: "The request is too large." },
  20415: { status: 415, message: "Send the parameters as a form." },
  20429: { status: 429, message: "Too many requests." },
  20500: { status: 500, message: "Something went wrong on our side." },
  20501: { status: 501, message: "This service does not do that." },
  20503: { status: 503, message: "The service cannot answer right now." },
  21211: { status: 400, message: "The 'To' number is not a valid phone number." },
  21602: { status: 400, message: "Message body is required." },
  21603: { status: 400, message: "A 'From' phone number is required." },
  21604: { status: 400, message: "A 'To' phone number is required." },
  21606: { status: 400, message: "The 'From' number is not one that you can send from." },
  21609: { status: 400, message: "The 'StatusCallback' URL is not valid." },
  21610: { status: 400, message: "The recipient has opted out." },
  21617: { status: 400, message: "The message body is longer than 1600 characters." },
  30002: { status: 402, message: "The prepaid balance is too low." },
  30034: { status: 403, message: "The sending number is not registered with the carriers." },
  30409: { status: 409, message: "This message cannot be canceled." },
  35114: { status: 400, message: "This time cannot be scheduled." },
  60200: { status: 400, message: "Invalid parameter" },
  60203: { status: 429, message: "Max send attempts reached" },
  60410: { status: 403, message: "Fraud protection blocked this verification." },
  63038: { status: 429, message: "The daily quota of messages is used up." },
} as const satisfies Record<number, TwilioErrorSpec>;

export type TwilioErrorCode = keyof typeof TWILIO_ERRORS;

/** Twilio code of each of our errors, unless the invalid field selects another. */
// biome-ignore format: one error per line, read as a table
export const TWILIO_ERROR_OF: Readonly<Record<ErrorCode, TwilioErrorCode>> = {
  invalid_request:         20001,
  mms_not_enabled:         20501,
  unknown_customer:        20001,
  customer_mismatch:       20001,
  unknown_registration:    20001,
  number_not_registerable: 20001,
  no_valid_recipients:     20001,
  recipient_opted_out:     21610,
  opt_in_required:         21610,
  invalid_api_key:         20003,
  session_required:        20003,
  invalid_credentials:     20003,
  insufficient_credits:    30002,
  ip_not_allowed:          20403,
  insufficient_scope:      20403,
  insufficient_role:       20403,
  confirmation_required:      20403,
  second_factor_required:      20403,
  cross_site_request:      20403,
  live_access_required:    20008,
  tenant_suspended:        20005,
  sender_not_registered:   30034,
  sender_not_owned:        21606,
  mode_mismatch:           21606,
  verification_blocked:    60410,
  not_found:               20404,
  method_not_allowed:      20004,
  request_timeout:         20503,
  idempotency_conflict:    20409,
  idempotency_in_progress: 20409,
  invalid_state:           20409,
  retry_in_progress:       20409,
  registration_full:       20409,
  number_conflict:         20409,
  number_unavailable:      20409,
  already_exists:          20409,
  limit_reached:           20409,
  payload_too_large:       20413,
  unsupported_media_type:  20415,
  rate_limited:            20429,
  quota_exceeded:          63038,
  spend_limit_reached:     20429,
  headers_too_large:       20413,
  internal_error:          20500,
  carrier_error:           20500,
  unavailable:             20503,
};

/** Twilio code by the invalid field. */
// biome-ignore format: one field per line, read as a table
export const TWILIO_ERROR_OF_FIELD: Readonly<Record<string, TwilioErrorCode>> = {
  "messages to":           21211,
  "messages from":         21606,
  "messages body":         21617,
  "messages scheduled_at": 35114,
  "verify phone":          60200,
  "verify code":           60200,
  "verify app_name":       60200,
  "verify from":           60200,
};

/** Twilio's names of our request fields, by resource. */
export const TWILIO_NAMES_OF_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  messages: {
    to: "To",
    from: "From",
    body: "Body",
    scheduled_at: "SendAt",
    valid_for: "ValidityPeriod",
  },
  verify: { phone: "To", code: "Code", app_name: "CustomFriendlyName" },
};

/** Twilio code of each message failure; failures without an entry are 30008, "unknown error". */
// biome-ignore format: one failure per line, read as a table
export const TWILIO_FAILURES: Readonly<Partial<Record<FailureCode, number>>> = {
  invalid_number:   30005,
  landline:         30006,
  unreachable:      30003,
  carrier_filtered: 30007,
};
export const TWILIO_FAILURE_UNKNOWN = 30008;
