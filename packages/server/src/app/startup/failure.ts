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

/** A socket that is not there may be the database's, but any other file that is missing says the same. */
const MISSING_FILE = "ENOENT";

/** How the program ends: 1 for whatever keeps it from its work, and for scripts what is theirs to mend. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof UsageFailure) return 2;
  return error instanceof Refusal ? 3 : 1;
}

/** One line for a failure that its reader can mend; the whole stack for a fault of ours. */
export function explainFailure(error: unknown): string {
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return (error as Error).message;
  if (isUnavailable(error) && sqlStateOf(error) !== MISSING_FILE) {
    return `The database went away while Longwave was starting (${(error as Error).message}). Start it again.`;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Longwave could not start, by a fault of its own:\n${detail}`;
}
