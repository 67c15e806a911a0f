import type { ErrorCode } from "../contract/types.ts";

/** Readable part of an error response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed body, or the raw string when it is not JSON. */
  readonly body: unknown;
}

/** Unsuccessful response. Branch on `code`; show `message`; quote `requestId`. */
export class ApiError extends Error {
  readonly status: number;
  /** A documented code, or `unknown` when a proxy answered instead of the service. */
  readonly code: ErrorCode | "unknown";
  /** The invalid field, such as `recipients[3].to`. */
  readonly param: string | null;
  readonly requestId: string | null;
  /** With `insufficient_scope`: the missing scope. */
  readonly requiredScope: string | null;
  readonly retryAfterSeconds: number | null;
  readonly headers: Headers;
  readonly body: unknown;

  constructor(answer: ErrorAnswer) {
    const error = errorOf(answer.body);
    super(error.message ?? `The server answered ${answer.status}.`);
    this.name = new.target.name;
    this.status = answer.status;
    this.code = (error.code ?? "unknown") as ErrorCode | "unknown";
    this.param = error.param ?? null;
    this.requestId = error.request_id ?? answer.headers.get("x-request-id");
    this.requiredScope = error.required_scope ?? null;
    this.retryAfterSeconds = secondsOf(answer.headers.get("retry-after"));
    this.headers = answer.headers;
    this.body = answer.body;
  }
}

export class BadRequestError extends ApiError {}
export class AuthenticationError extends ApiError {}
export class InsufficientCreditsError extends ApiError {}
export class PermissionError extends ApiError {}
export class NotFoundError extends ApiError {}
export class MethodNotAllowedError extends ApiError {}
export class RequestTimeoutError extends ApiError {}
export class ConflictError extends ApiError {}
export class PayloadTooLargeError extends ApiError {}
export class UnsupportedMediaTypeError extends ApiError {}
export class RateLimitError extends ApiError {}
export class HeadersTooLargeError extends ApiError {}
export class InternalServerError extends ApiError {}
export class CarrierError extends ApiError {}
export class UnavailableError extends ApiError {}

/** The server is unreachable, or the connection broke before a response. */
export class ConnectionError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ConnectionError";
  }
}

/** No response came within the deadline. */
export class DeadlineError extends ConnectionError {
  constructor(timeoutMs: number, cause: unknown) {
    super(`No answer came within ${timeoutMs} ms.`, cause);
    this.name = "DeadlineError";
  }
}

export const ERROR_CLASSES: Readonly<Record<number, new (answer: ErrorAnswer) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: PermissionError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: RequestTimeoutError,
  409: ConflictError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  429: RateLimitError,
  431: HeadersTooLargeError,
  500: InternalServerError,
  502: CarrierError,
  503: UnavailableError,
};

export function errorFrom(answer: ErrorAnswer): ApiError {
  const ErrorClass = ERROR_CLASSES[answer.status] ?? ApiError;
  return new ErrorClass(answer);
}

interface ErrorFields {
  readonly code?: string;
  readonly message?: string;
  readonly param?: string | null;
  readonly request_id?: string;
  readonly required_scope?: string;
}

function errorOf(body: unknown): ErrorFields {
  if (typeof body !== "object" || body === null || !("error" in body)) return {};
  const { error } = body;
  return typeof error === "object" && error !== null ? error : {};
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}
