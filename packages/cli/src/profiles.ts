import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "./exit-codes.ts";

export const URL_DEFAULT = "http://127.0.0.1:7670";

export interface Profile {
  readonly url: string;
  readonly apiKey?: string;
  readonly operatorToken?: string;
  /** Signing secret of `listen`; the same in every run, so that a receiver can store it. */
  readonly listenSecret?: string;
}

export interface ProfilesFile {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** Folder of profiles and state files: LONGWAVE_CONFIG, or the user's configuration folder. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  const base = env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  return env["LONGWAVE_CONFIG"] || join(base, "longwave");
}

function fileOf(env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), "profiles.json");
}

export function secretFileOf(env: NodeJS.ProcessEnv): string {
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

/**
 * Saves a profile and makes it the current one, readable only by its owner. Other fields of the
 * same profile stay, unless they belong to another server.
 */
export function saveProfile(env: NodeJS.ProcessEnv, name: string, profile: Profile): string {
  const { profiles } = readProfiles(env);
  const { operatorToken, ...known } = profiles[name] ?? { url: profile.url };
  const isOwn = operatorToken !== undefined && isSameServer(known.url, profile.url);
  const kept = { ...known, ...(isOwn ? { operatorToken } : {}), ...profile };
  return writeProfiles(env, { current: name, profiles: { ...profiles, [name]: kept } });
}

/**
 * Saves the signing secret of `listen`: in the profile, or next to the profiles. Creating a profile
 * here would be an unrequested login, and its key would be used for the next server as well.
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

/** Atomic write, readable only by its owner. */
function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.new-${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}

/** Compares scheme, host and port, which decide who receives a request. */
export function isSameServer(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}

/** Removes `/v1` and a trailing slash, which people paste along. */
export function tidyUrl(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new UsageError(`A server is named as ${URL_DEFAULT}; ${given} is no such address.`);
  }
  return given.replace(/\/+$/, "").replace(/\/v1$/, "");
}

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
