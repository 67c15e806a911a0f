import { Longwave } from "@longwave/sdk";
import type { Command } from "commander";
import { type Access, accessOf, type GlobalOptions } from "./access.ts";
import { UsageError } from "./exit-codes.ts";
import type { Profile } from "./profiles.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** What a command works with: its terminal, whom it asks, and the client for that. */
export interface Session {
  readonly terminal: Terminal;
  readonly access: Access;
  readonly client: Longwave;
}

export function openSession(command: Command): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const access = accessOf(options, process.env);
  return { terminal: openTerminal(options.json === true), access, client: clientOf(access) };
}

/** The same for a command that cannot do without a key. */
export function openKeyedSession(command: Command): Session {
  const session = openSession(command);
  if (session.access.apiKey === undefined) throw new UsageError(session.access.whyNoKey);
  return session;
}

export function clientOf(access: Profile): Longwave {
  return new Longwave({
    baseUrl: access.url,
    ...(access.apiKey === undefined ? {} : { apiKey: access.apiKey }),
    ...(access.operatorToken === undefined ? {} : { operatorToken: access.operatorToken }),
  });
}
