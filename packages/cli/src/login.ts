import { readFileSync } from "node:fs";
import type { Account } from "@longwave/sdk";
import type { Command } from "commander";
import type { GlobalOptions } from "./access.ts";
import { ask } from "./ask.ts";
import { UsageError } from "./exit-codes.ts";
import { tableLines } from "./print.ts";
import {
  type Profile,
  readProfiles,
  removeProfile,
  saveProfile,
  tidyUrl,
  URL_DEFAULT,
} from "./profiles.ts";
import { clientOf } from "./session.ts";
import { openTerminal } from "./terminal.ts";

const PROFILE_NAME = /^[\w.-]{1,40}$/;

/** `login`, `logout` and `profiles`. */
export function addLogin(program: Command): void {
  program
    .command("login")
    .summary("keep a server's URL and key for the commands")
    .description(
      "Asks for URL and key, checks them with GET /v1/account, and keeps both in a file that only you may read. Not on a terminal, give --server and the key with --key or on standard input. --profile keeps several.",
    )
    .action((_options: object, command: Command) => login(command.optsWithGlobals()));
  program
    .command("logout")
    .summary("forget a profile")
    .action((_options: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const name = options.profile ?? readProfiles(process.env).current;
      removeProfile(process.env, name);
      openTerminal(options.json === true).out(`Forgot the profile ${name}.`);
    });
  program
    .command("profiles")
    .summary("list what login has kept")
    .action((_options: object, command: Command) => listProfiles(command.optsWithGlobals()));
}

async function login(options: GlobalOptions): Promise<void> {
  const terminal = openTerminal(options.json === true);
  const name = options.profile ?? "default";
  if (!PROFILE_NAME.test(name)) {
    throw new UsageError("A profile's name has at most 40 letters, digits, dots and dashes.");
  }
  const isAsking = terminal.isInteractive;
  const url =
    options.server ??
    (isAsking ? (await ask(`URL [${URL_DEFAULT}] `)) || URL_DEFAULT : URL_DEFAULT);
  const apiKey = options.key ?? (isAsking ? await ask("API key ", { secret: true }) : fromInput());
  if (apiKey === "") throw new UsageError("A key is needed: svc_sk_test_… or svc_sk_live_….");
  const profile: Profile = { url: tidyUrl(url), apiKey };
  const account: Account = await clientOf(profile).account.get();
  const file = saveProfile(process.env, name, profile);
  if (terminal.json)
    return terminal.out(JSON.stringify({ profile: name, url: profile.url, account }));
  terminal.out(`Logged in to ${account.name} at ${profile.url} with a ${account.key?.mode} key.`);
  terminal.out(`Kept as the profile ${name} in ${file}.`);
}

function fromInput(): string {
  return readFileSync(0, "utf8").trim();
}

function listProfiles(options: GlobalOptions): void {
  const terminal = openTerminal(options.json === true);
  const { current, profiles } = readProfiles(process.env);
  const rows = Object.entries(profiles).map(([name, { url, apiKey }]) => ({
    name,
    url,
    key: apiKey ? `${apiKey.slice(0, 12)}…${apiKey.slice(-4)}` : "",
    current: name === current,
  }));
  if (terminal.json) {
    terminal.out(JSON.stringify(rows));
    return;
  }
  if (rows.length === 0) {
    terminal.out("No profile yet: longwave login makes one.");
    return;
  }
  for (const line of tableLines(terminal, rows)) terminal.out(line);
}
