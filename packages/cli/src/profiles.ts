import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "./exit-codes.ts";

export const URL_DEFAULT = "http://127.0.0.1:7670";

export interface Profile {
  readonly url: string;
  readonly apiKey?: string;
  readonly operatorToken?: string;
  /** Signs what `listen` forwards; the same in every run, so that it can be put into a program. */
  readonly listenSecret?: string;
}

interface ProfilesFile {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** Where profiles and places are kept: LONGWAVE_CONFIG, or the user's folder for settings. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  return env["LONGWAVE_CONFIG"] || join(base, "longwave");
}

function fileOf(env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), "profiles.json");
}

function secretFileOf(env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), "listen-secret");
}

export function readProfiles(env: NodeJS.ProcessEnv): ProfilesFile {
  const file = fileOf(env);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ProfilesFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { current: "default", profiles: {} };
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${file} cannot be read (${reason}): mend it, or remove it and log in again.`,
      {
        cause: error,
      },
    );
  }
}

/** Keeps a profile and makes it the current one. Only its owner may read the file. */
export function saveProfile(env: NodeJS.ProcessEnv, name: string, profile: Profile): string {
  const { profiles } = readProfiles(env);
  return writeProfiles(env, { current: name, profiles: { ...profiles, [name]: profile } });
}

/**
 * Keeps the secret that `listen` signs with: in the profile, or, where there is none, beside them. To make
 * one would be a login that nobody asked for, and its key would be used for the next server as well.
 */
export function keepListenSecret(env: NodeJS.ProcessEnv, name: string, secret: string): void {
  const { current, profiles } = readProfiles(env);
  const known = profiles[name];
  if (known === undefined) {
    writePrivate(secretFileOf(env), `${secret}\n`);
  } else {
    const kept = { ...known, listenSecret: secret };
    writeProfiles(env, { current, profiles: { ...profiles, [name]: kept } });
  }
}

export function removeProfile(env: NodeJS.ProcessEnv, name: string): void {
  const { current, profiles } = readProfiles(env);
  if (!(name in profiles)) throw new UsageError(`There is no profile ${name}.`);
  const { [name]: _, ...rest } = profiles;
  const next = current === name ? (Object.keys(rest)[0] ?? "default") : current;
  writeProfiles(env, { current: next, profiles: rest });
}

function writeProfiles(env: NodeJS.ProcessEnv, content: ProfilesFile): string {
  const file = fileOf(env);
  writePrivate(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/** Whole or not at all, and for its owner alone. */
function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.new-${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}

/** What the command line gives for every command. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly server?: string;
  readonly key?: string;
  readonly json?: boolean;
}

export interface Access extends Profile {
  readonly name: string;
}

/**
 * Whom to ask, and with which key. The command line wins over the environment, that over the
 * profile, and in a folder where a server keeps its data its first key is found by itself.
 */
export function accessOf(options: GlobalOptions, env: NodeJS.ProcessEnv): Access {
  const { current, profiles } = readProfiles(env);
  const name = options.profile ?? env["LONGWAVE_PROFILE"] ?? current;
  const kept = profiles[name];
  if (options.profile !== undefined && kept === undefined) {
    throw new UsageError(`There is no profile ${name}: longwave login --profile ${name} makes it.`);
  }
  const local = kept === undefined ? localAccess(env) : {};
  const apiKey = options.key ?? env["LONGWAVE_API_KEY"] ?? kept?.apiKey ?? local.apiKey;
  const operatorToken =
    env["LONGWAVE_OPERATOR_TOKEN"] ?? kept?.operatorToken ?? local.operatorToken;
  const listenSecret = kept ? kept.listenSecret : readIfThere(secretFileOf(env))?.trim();
  const url = options.server ?? env["LONGWAVE_URL"] ?? kept?.url ?? URL_DEFAULT;
  return {
    name,
    url: url.replace(/\/+$/, "").replace(/\/v1$/, ""),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(operatorToken === undefined ? {} : { operatorToken }),
    ...(listenSecret ? { listenSecret } : {}),
  };
}

function localAccess(env: NodeJS.ProcessEnv): { apiKey?: string; operatorToken?: string } {
  const folder = env["LONGWAVE_DATA"] || ".longwave";
  const firstRun = readIfThere(join(folder, "first-run.json"));
  const token = readIfThere(join(folder, "operator-token"))?.trim();
  const key = firstRun === null ? undefined : firstKey(firstRun);
  return {
    ...(key === undefined ? {} : { apiKey: key }),
    ...(token ? { operatorToken: token } : {}),
  };
}

function firstKey(text: string): string | undefined {
  try {
    const { test_key } = JSON.parse(text) as { test_key?: unknown };
    return typeof test_key === "string" ? test_key : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
