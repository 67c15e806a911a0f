import { ConfigError } from "../../core/config/config.ts";
import { isUnavailable, sqlStateOf } from "../../core/db/driver/failures.ts";
import { EmbeddedFailure } from "../../core/db/embedded/index.ts";
import { MigrationFailure } from "../../core/db/schema/migrate.ts";
import { WrongRootKey } from "../../core/installation.ts";
import { Refusal, StartFailure, UsageFailure } from "../../core/platform/assert.ts";
import { CarriersFileError } from "../../network/carriers/index.ts";

const FOR_PEOPLE = [
  StartFailure,
  ConfigError,
  CarriersFileError,
  EmbeddedFailure,
  MigrationFailure,
  WrongRootKey,
];

/** ENOENT may be the database's socket, but any missing file gives the same code. */
const MISSING_FILE = "ENOENT";

/** Exit status: 1 by default, 2 for wrong usage, 3 for a refusal that scripts can handle. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof UsageFailure) return 2;
  return error instanceof Refusal ? 3 : 1;
}

/** One line for a failure that its reader can fix; the stack for a bug. */
export function explainFailure(error: unknown): string {
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return (error as Error).message;
  if (isUnavailable(error) && sqlStateOf(error) !== MISSING_FILE) {
    return `The database went away while Longwave was starting (${(error as Error).message}). Start it again.`;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Longwave could not start, by a fault of its own:\n${detail}`;
}
