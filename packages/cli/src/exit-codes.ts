import { ApiError, ConnectionError } from "@longwave/sdk";

/** How a command ends, for scripts. */
export const EXIT = {
  ok: 0,
  /** The command line is wrong. */
  usage: 2,
  /** The server refused: a 4xx. */
  refused: 3,
  /** Too many requests, a quota or a spend limit: a 429. */
  limited: 4,
  /** A fault of the server, or no way to it. */
  unreachable: 5,
} as const;

/** The command line, a file or a setting is wrong; the message says how to mend it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConnectionError) return EXIT.unreachable;
  if (error instanceof ApiError) {
    if (error.status === 429) return EXIT.limited;
    return error.status >= 500 ? EXIT.unreachable : EXIT.refused;
  }
  return 1;
}
