import { ApiError, ConnectionError } from "@longwave/sdk";

/** How a command ends, for scripts. */
export const EXIT = {
  ok: 0,
  /** A check found something wrong; no other command ends so. */
  found: 1,
  /** The command line, a file or a setting is wrong. */
  usage: 2,
  /** The server refused: a 4xx. */
  refused: 3,
  /** Too many requests, a quota or a spend limit: a 429. */
  limited: 4,
  /** A fault of the server or of ours, no way to the server, or one that cannot start. */
  unreachable: 5,
} as const;

/** The command line, a file or a setting is wrong; the message says how to mend it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was asked for did not come about, and the message says why. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A file that cannot be read or written: the system's own words name it. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "path" in error;
}

/** Nobody foresaw it. */
export function isFault(error: unknown): boolean {
  const foreseen = [UsageError, CommandFailure, ConnectionError, ApiError];
  return !foreseen.some((kind) => error instanceof kind) && !isFileError(error);
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || isFileError(error)) return EXIT.usage;
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof ConnectionError) return EXIT.unreachable;
  if (error instanceof ApiError) {
    if (error.status === 429) return EXIT.limited;
    return error.status >= 500 ? EXIT.unreachable : EXIT.refused;
  }
  return EXIT.unreachable;
}
