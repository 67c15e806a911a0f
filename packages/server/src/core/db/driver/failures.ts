/** The database is unreachable, full or overloaded. The API responds 503; clients may retry. */
export class DatabaseUnavailable extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = "DatabaseUnavailable";
  }
}

/** The connection broke during a commit: the transaction may or may not have committed. */
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

/** SQLSTATE classes and codes of temporary failures, as opposed to faults of the statement. */
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
/** Message of the driver after `query_timeout`. */
export const READ_TIMEOUT = "Query read timeout";
/** Driver errors without a code, recognised by their message. */
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
/** SQLSTATE of statements that follow a failed one in its transaction. */
export const IN_FAILED_TRANSACTION = "25P02";
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const RETRYABLE_CODES = new Set([SERIALIZATION_FAILURE, DEADLOCK]);

const INTERNAL_ERROR = "XX000";
const RAISED = "P0001";
/** Routine in Citus that reports a worker's refusal of copied rows. */
const COPYING_TO_WORKER = "ReportCopyError";
/**
 * Citus reports a worker's refusal as an internal error of its own, with the worker's message only. Maps messages back
 * to SQLSTATEs.
 */
const WORKER_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/violates unique constraint/, UNIQUE_VIOLATION],
  [/violates check constraint/, CHECK_VIOLATION],
  [/^deadlock detected/, DEADLOCK],
  [/^could not serialize/, SERIALIZATION_FAILURE],
  [/^canceling statement due to lock timeout/, LOCK_NOT_AVAILABLE],
  [/^canceling /, QUERY_CANCELED],
];
/** Messages of a failing worker: disk, memory, shutdown, or read-only standby. */
const WORKER_IN_TROUBLE =
  /^could not|^terminating|^the database system is|^cannot execute|out of (shared )?memory|No space left/;

/** SQLSTATE or system error code; for errors of a Citus worker, the worker's SQLSTATE. */
export function sqlStateOf(error: unknown): string | null {
  const { code, message, routine } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== "string") return null;
  if (code !== INTERNAL_ERROR) return code;
  const words = String(message);
  const known = WORKER_MESSAGES.find(([pattern]) => pattern.test(words));
  if (known) return known[1];
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

/** Errors after which the connection is still usable. */
const REFUSED_CODES = new Set([LOCK_NOT_AVAILABLE, QUERY_CANCELED, DISK_FULL]);

/** Whether the connection is unusable or in an unknown state. */
export function isBrokenConnection(error: unknown): boolean {
  const code = sqlStateOf(error);
  return isUnavailable(error) && !REFUSED_CODES.has(code ?? "");
}

/** Deadlocks and serialization failures: the transaction may be run again at once. */
export function isRetryable(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code !== null && RETRYABLE_CODES.has(code);
}

/** Read-only failures: reads work, writes fail. */
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
