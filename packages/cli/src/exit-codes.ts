import { ApiError, ConnectionError } from "@longwave/sdk";

/** Exit codes, for scripts. */
export const EXIT = {
  ok: 0,
  /** A check found a problem; no other command ends so. */
  found: 1,
  /** Invalid command line, file or setting. */
  usage: 2,
  /** The server refused: a 4xx. */
  refused: 3,
  /** Too many requests, a quota or a spend limit: a 429. */
  limited: 4,
  /** Fault of the server or of the CLI, an unreachable server, or a failed start. */
  unreachable: 5,
} as const;

/** Invalid command line, file or setting; the message explains the fix. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The request failed; the message explains why. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** File system error, whose own message names the file. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "path" in error;
}

/** True for an unexpected error. */
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
