import { CarriersFileError } from "../carriers/index.ts";
import { ConfigError } from "../config.ts";
import { EmbeddedFailure } from "../db/embedded/index.ts";
import { MigrationFailure } from "../db/migrate.ts";
import { WrongRootKey } from "../installation.ts";
import { StartFailure } from "../platform/assert.ts";

const FOR_PEOPLE = [
  StartFailure,
  ConfigError,
  CarriersFileError,
  EmbeddedFailure,
  MigrationFailure,
  WrongRootKey,
];

/** One line for a failure that its reader can mend; the whole stack for a fault of ours. */
export function explainFailure(error: unknown): string {
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return (error as Error).message;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Longwave could not start, by a fault of its own:\n${detail}`;
}
