/** The database is away, full or overloaded: answers 503, and the caller may try again. */
export class DatabaseUnavailable extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = "DatabaseUnavailable";
  }
}

/** SQLSTATE classes and codes that say "not now" instead of "not like this". */
const UNAVAILABLE_CLASSES = ["08", "53", "57P", "58", "XX"];
const UNAVAILABLE_SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_STREAM_DESTROYED",
]);
const UNAVAILABLE_MESSAGES = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error",
  "Client was closed",
  "the database system is",
];
const RETRYABLE_CODES = new Set(["40001", "40P01"]);

export function sqlStateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : null;
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const code = sqlStateOf(error);
  if (code && UNAVAILABLE_SYSTEM_CODES.has(code)) return true;
  if (code && code.length === 5 && UNAVAILABLE_CLASSES.some((start) => code.startsWith(start))) {
    return true;
  }
  const message = error instanceof Error ? error.message : "";
  return UNAVAILABLE_MESSAGES.some((part) => message.includes(part));
}

/** Serialisation failures and deadlocks: the same transaction may be run again at once. */
export function isRetryable(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code !== null && RETRYABLE_CODES.has(code);
}

export const UNIQUE_VIOLATION = "23505";
export const LOCK_NOT_AVAILABLE = "55P03";
export const QUERY_CANCELED = "57014";

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === UNIQUE_VIOLATION;
}
