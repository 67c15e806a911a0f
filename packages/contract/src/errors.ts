/**
 * Every error of the API: status, meaning and next step. Handlers throw `Problem` with one of these
 * codes; any other exception is a bug and answers 500 `internal_error`.
 */
// biome-ignore format: one error per line, read as a table
export const ERRORS = {
  invalid_request:          { status: 400, title: "The request is not valid.", next: "Correct the request and send it again." },
  mms_not_enabled:          { status: 400, title: "Media messages are not enabled.", next: "Leave media out." },
  unknown_customer:         { status: 400, title: "There is no such customer.", next: "Use the id of one that GET /v1/customers lists." },
  customer_mismatch:        { status: 400, title: "The number belongs to another customer.", next: "Leave customer_id out, or send from a number of that customer." },
  unknown_registration:     { status: 400, title: "There is no such registration.", next: "Use the id of one that GET /v1/registrations lists." },
  number_not_registerable:  { status: 400, title: "This kind of number cannot be registered.", next: "Send from it as it is: only live US local numbers need a registration." },
  no_valid_recipients:      { status: 400, title: "The batch has no valid recipient.", next: "Correct the rows and send the batch again." },
  recipient_opted_out:      { status: 400, title: "The recipient has opted out.", next: "Do not text this person until they opt in again." },
  opt_in_required:          { status: 400, title: "The recipient has not opted in.", next: "Record the opt-in with POST /v1/consent, with its evidence, then send again." },
  invalid_api_key:          { status: 401, title: "The API key is missing, malformed, revoked or unknown.", next: "Send a valid key: Authorization: Bearer svc_sk_test_…." },
  session_required:         { status: 401, title: "Nobody is signed in.", next: "Sign in to go on." },
  invalid_credentials:      { status: 401, title: "The email, the password or the code is wrong.", next: "Check them and try again." },
  insufficient_credits:     { status: 402, title: "The prepaid balance is too low for this call.", next: "Ask the operator for credit." },
  ip_not_allowed:           { status: 403, title: "This key may not be used from this address.", next: "Call from an allowed network, or have an admin allow this one." },
  insufficient_scope:       { status: 403, title: "This key may not call this endpoint.", next: "Use a key with the scope that required_scope names, or with full access." },
  insufficient_role:        { status: 403, title: "This needs another role in the account.", next: "Ask an owner of the account for it." },
  confirmation_required:    { status: 403, title: "This needs the password again.", next: "Give it, and repeat the call." },
  second_factor_required:   { status: 403, title: "This installation requires a second factor of you.", next: "Set up a passkey or an authenticator app on the console's page Profile and security, then repeat the call." },
  cross_site_request:       { status: 403, title: "The request did not come from the console's own page.", next: "Reload the console and try again." },
  live_access_required:     { status: 403, title: "This call needs live access.", next: "Use a live key of an account that has live access." },
  tenant_suspended:         { status: 403, title: "The account is suspended.", next: "Ask the operator why." },
  sender_not_registered:    { status: 403, title: "The sending number is not registered with the carriers.", next: "Link the number to an approved registration." },
  sender_not_owned:         { status: 403, title: "The sending number is not one of yours.", next: "Send from a number that GET /v1/numbers lists." },
  mode_mismatch:            { status: 403, title: "The key and what it names are of different modes.", next: "Use a test key for test numbers and objects, and a live key for live ones." },
  verification_blocked:     { status: 403, title: "Fraud protection blocked this verification.", next: "Nothing was sent or charged; try again later or from another network." },
  not_found:                { status: 404, title: "There is nothing here.", next: "Check the path and the id." },
  method_not_allowed:       { status: 405, title: "This path does not take this method.", next: "Use a method that the Allow header names." },
  request_timeout:          { status: 408, title: "The request did not arrive in time.", next: "Send it again, and faster." },
  idempotency_conflict:     { status: 409, title: "This idempotency key was used for another request.", next: "Use a new key for a new request." },
  idempotency_in_progress:  { status: 409, title: "The first request with this idempotency key is still running.", next: "Try again in a moment." },
  invalid_state:            { status: 409, title: "The resource is not in a state that allows this.", next: "Read it again to see what it allows now." },
  retry_in_progress:        { status: 409, title: "A retry of this batch is already running.", next: "Wait until it is complete." },
  registration_full:        { status: 409, title: "The registration holds as many numbers as it can.", next: "Use another registration, or release a number." },
  number_conflict:          { status: 409, title: "The number is linked elsewhere.", next: "Release the other link first." },
  number_unavailable:       { status: 409, title: "The number cannot be bought.", next: "Choose another one from GET /v1/numbers/available." },
  already_exists:           { status: 409, title: "There is one of these already.", next: "Use that one, or choose another value." },
  limit_reached:            { status: 409, title: "There can be no more of these.", next: "Delete one first." },
  payload_too_large:        { status: 413, title: "The request body is too large.", next: "Send less at a time." },
  unsupported_media_type:   { status: 415, title: "The request body has an unsupported type.", next: "Send JSON in UTF-8, with Content-Type: application/json." },
  rate_limited:             { status: 429, title: "Too many requests.", next: "Wait as long as Retry-After says, then try again." },
  quota_exceeded:           { status: 429, title: "The daily quota is used up.", next: "It is full again at midnight UTC; the operator can raise it." },
  spend_limit_reached:      { status: 429, title: "The monthly spend limit is reached.", next: "Raise the limit, or wait for the next month." },
  headers_too_large:        { status: 431, title: "The request has too many headers.", next: "Send fewer and shorter ones." },
  internal_error:           { status: 500, title: "Something went wrong on our side.", next: "It has been logged; try again, and quote the request_id if it stays." },
  carrier_error:            { status: 502, title: "The carrier refused the message for good.", next: "Check the number before you try again." },
  unavailable:              { status: 503, title: "The service cannot answer right now.", next: "Wait as long as Retry-After says, then try again." },
} as const satisfies Record<string, { status: number; title: string; next: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ProblemDetails {
  /** Path of the invalid field, with dots and indexes: `recipients[3].to`. */
  readonly param?: string;
  /** Additional fields of the `error` object, such as `required_scope`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Fields next to `error` in the body, such as `charged: false`. */
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Underlying error; logged, never sent. */
  readonly cause?: unknown;
}

/** Client error (or a carrier's refusal) that becomes the error body of the response. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ProblemDetails;

  constructor(code: ErrorCode, message: string, details: ProblemDetails = {}) {
    super(whole(code, message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Problem";
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = details;
  }
}

/** End of one sentence before another. */
const SECOND_SENTENCE = /[.!?] \S/;

/**
 * Adds the table's next step to a message of one sentence; a longer message already contains one.
 */
function whole(code: ErrorCode, message: string): string {
  const { next } = ERRORS[code];
  if (SECOND_SENTENCE.test(message) || / must /.test(message) || message.endsWith(next))
    return message;
  return `${message} ${next}`;
}
