import { CarriersFileError } from "../carriers/index.ts";
import { ConfigError } from "../config.ts";
import { EmbeddedFailure } from "../db/embedded/index.ts";
import { MigrationFailure } from "../db/migrate.ts";
import { WrongRootKey } from "../installation.ts";

/** What keeps the server from starting, in one line that a person can act on. */
export class StartFailure extends Error {
  override readonly name: string = "StartFailure";
}

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

/** Why the API cannot listen, naming the setting that changes it. */
export function explainListenError(
  error: unknown,
  host: string,
  port: number,
  portSetting = "PORT",
): unknown {
  const cause = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new StartFailure(
        `${portSetting} ${port} is taken on ${host} by another program: stop that one, or set ${portSetting} to a free port.`,
        cause,
      );
    case "EACCES":
      return new StartFailure(
        `${portSetting} ${port} may not be opened by this account: set ${portSetting} to one above 1023.`,
        cause,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return new StartFailure(
        `HOST ${host} is not an address of this machine: set HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`,
        cause,
      );
    default:
      return error;
  }
}
