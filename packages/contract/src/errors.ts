/**
 * Every error the API can answer. Handlers throw `Problem` with one of these codes; anything else
 * that is thrown is a bug of ours and answers 500 `internal_error`.
 */
// biome-ignore format: one error per line, read as a table
export const ERRORS = {
  invalid_request:          { status: 400, title: "The request is not valid." },
  mms_not_enabled:          { status: 400, title: "Media messages are not enabled." },
  unknown_customer:         { status: 400, title: "There is no such customer." },
  customer_mismatch:        { status: 400, title: "The number belongs to another customer." },
  unknown_registration:     { status: 400, title: "There is no such registration." },
  number_not_registerable:  { status: 400, title: "This kind of number cannot be registered." },
  no_valid_recipients:      { status: 400, title: "The batch has no valid recipient." },
  recipient_opted_out:      { status: 400, title: "The recipient has opted out." },
  invalid_api_key:          { status: 401, title: "The API key is missing, malformed, revoked or unknown." },
  session_required:         { status: 401, title: "Nobody is signed in." },
  invalid_credentials:      { status: 401, title: "The email, the password or the code is wrong." },
  insufficient_credits:     { status: 402, title: "The prepaid balance is too low for this call." },
  insufficient_scope:       { status: 403, title: "This key may not call this endpoint." },
  insufficient_role:        { status: 403, title: "This needs another role in the account." },
  cross_site_request:       { status: 403, title: "The request did not come from the console's own page." },
  live_access_required:     { status: 403, title: "This call needs live access." },
  tenant_suspended:         { status: 403, title: "The account is suspended." },
  sender_not_registered:    { status: 403, title: "The sending number is not registered with the carriers." },
  sender_not_owned:         { status: 403, title: "The sending number is not one of yours." },
  mode_mismatch:            { status: 403, title: "The key and the number are of different modes." },
  verification_blocked:     { status: 403, title: "Fraud protection blocked this verification." },
  not_found:                { status: 404, title: "There is nothing here." },
  method_not_allowed:       { status: 405, title: "This path does not take this method." },
  request_timeout:          { status: 408, title: "The request did not arrive in time." },
  idempotency_conflict:     { status: 409, title: "This idempotency key was used for another request." },
  idempotency_in_progress:  { status: 409, title: "The first request with this idempotency key is still running." },
  invalid_state:            { status: 409, title: "The resource is not in a state that allows this." },
  retry_in_progress:        { status: 409, title: "A retry of this batch is already running." },
  registration_full:        { status: 409, title: "The registration holds as many numbers as it can." },
  number_conflict:          { status: 409, title: "The number is linked elsewhere." },
  number_unavailable:       { status: 409, title: "The number cannot be bought." },
  already_exists:           { status: 409, title: "There is one of these already." },
  limit_reached:            { status: 409, title: "There can be no more of these." },
  payload_too_large:        { status: 413, title: "The request body is too large." },
  unsupported_media_type:   { status: 415, title: "The request body is not of a type we read." },
  rate_limited:             { status: 429, title: "Too many requests." },
  quota_exceeded:           { status: 429, title: "The daily quota is used up." },
  spend_limit_reached:      { status: 429, title: "The monthly spend limit is reached." },
  headers_too_large:        { status: 431, title: "The request has too many headers." },
  internal_error:           { status: 500, title: "Something went wrong on our side." },
  carrier_error:            { status: 502, title: "The carrier refused the message for good." },
  unavailable:              { status: 503, title: "The service cannot answer right now." },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ProblemDetails {
  /** The field to blame, with dots and indexes: `recipients[3].to`. */
  readonly param?: string;
  /** Further fields of the `error` object, such as `required_scope`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Fields that stand beside `error` in the body, such as `charged: false`. */
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What made us say so; logged, never shown. */
  readonly cause?: unknown;
}

/** The caller's fault (or a carrier's word): becomes the error body of the answer. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ProblemDetails;

  constructor(code: ErrorCode, message: string, details: ProblemDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Problem";
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = details;
  }
}
