/** The database is away, full or overloaded: answers 503, and the caller may try again. */
export class DatabaseUnavailable extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = "DatabaseUnavailable";
  }
}

/** The connection broke while a transaction was being committed: it may have been, or not. */
export class CommitUnknown extends DatabaseUnavailable {
  constructor(options: { cause: unknown }) {
    super("The connection broke during a commit.", options);
    this.name = "CommitUnknown";
  }
}

const UNIQUE_VIOLATION = "23505";
const CHECK_VIOLATION = "23514";
export const LOCK_NOT_AVAILABLE = "55P03";
export const QUERY_CANCELED = "57014";
const DISK_FULL = "53100";

/** SQLSTATE classes and codes that say "not now" instead of "not like this". */
const UNAVAILABLE_CLASSES = ["08", "53", "57P", "58", "XX"];
const UNAVAILABLE_CODES = new Set([
  LOCK_NOT_AVAILABLE,
  QUERY_CANCELED,
  "25006", // read-only: a standby, or a primary that was just replaced
  "25P03", // idle in a transaction for too long
]);
const UNAVAILABLE_SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);
/** What the driver says of an answer that did not come in time. */
export const READ_TIMEOUT = "Query read timeout";
/** What the driver says without a code. */
const UNAVAILABLE_MESSAGES = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  READ_TIMEOUT,
  "Client has encountered a connection error",
  "Client was closed",
  "Cannot use a pool after calling end",
  "the database system is",
];
/** What PostgreSQL says to every statement of a transaction after one that failed. */
export const IN_FAILED_TRANSACTION = "25P02";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const RETRYABLE_CODES = new Set([SERIALIZATION_FAILURE, DEADLOCK]);

const INTERNAL_ERROR = "XX000";
const RAISED = "P0001";
/** Where Citus tells that a worker did not take rows that were copied to it. */
const COPYING_TO_WORKER = "ReportCopyError";
/** Of a worker's refusal Citus passes on the words alone, as a fault of its own: what they stand for. */
const TOLD_BY_WORKER: readonly (readonly [RegExp, string])[] = [
  [/violates unique constraint/, UNIQUE_VIOLATION],
  [/violates check constraint/, CHECK_VIOLATION],
  [/^deadlock detected/, DEADLOCK],
  [/^could not serialize/, SERIALIZATION_FAILURE],
  [/^canceling statement due to lock timeout/, LOCK_NOT_AVAILABLE],
  [/^canceling /, QUERY_CANCELED],
];
/** The worker itself is in trouble: its disk, its memory, its end, or being a standby. */
const WORKER_IN_TROUBLE =
  /^could not|^terminating|^the database system is|^cannot execute|out of (shared )?memory|No space left/;

/** The database's word for what went wrong; for what a worker of Citus would not take, the worker's. */
export function sqlStateOf(error: unknown): string | null {
  const { code, message, routine } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== "string") return null;
  if (code !== INTERNAL_ERROR) return code;
  const words = String(message);
  const told = TOLD_BY_WORKER.find(([pattern]) => pattern.test(words));
  if (told) return told[1];
  return routine === COPYING_TO_WORKER && !WORKER_IN_TROUBLE.test(words) ? RAISED : code;
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const code = sqlStateOf(error);
  if (code && (UNAVAILABLE_SYSTEM_CODES.has(code) || UNAVAILABLE_CODES.has(code))) return true;
  if (code && code.length === 5 && UNAVAILABLE_CLASSES.some((start) => code.startsWith(start))) {
    return true;
  }
  const message = error instanceof Error ? error.message : "";
  return UNAVAILABLE_MESSAGES.some((part) => message.includes(part));
}

/** A statement that is refused with these leaves its connection as it was. */
const REFUSED_CODES = new Set([LOCK_NOT_AVAILABLE, QUERY_CANCELED, DISK_FULL]);

/** Whether the connection itself can no longer be used, or not be trusted. */
export function isBrokenConnection(error: unknown): boolean {
  const code = sqlStateOf(error);
  return isUnavailable(error) && !REFUSED_CODES.has(code ?? "");
}

/** Serialisation failures and deadlocks: the same transaction may be run again at once. */
export function isRetryable(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code !== null && RETRYABLE_CODES.has(code);
}

/** The database answers and reads, but has no room to write or may not. */
const CANNOT_WRITE_CODES = new Set([
  DISK_FULL,
  "58030", // the disk fails
  "25006", // read-only
]);

export function isWriteRefusal(error: unknown): boolean {
  const code = sqlStateOf(error) ?? sqlStateOf((error as { cause?: unknown } | null)?.cause);
  return code !== null && CANNOT_WRITE_CODES.has(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === UNIQUE_VIOLATION;
}
