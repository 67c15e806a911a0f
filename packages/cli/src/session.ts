import { Longwave } from "@longwave/sdk";
import type { Command } from "commander";
import { type Access, accessOf, type GlobalOptions } from "./access.ts";
import { UsageError } from "./exit-codes.ts";
import type { Profile } from "./profiles.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** Context of a command: terminal, target server and client. */
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

/** Session of a command that requires a key. */
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
