import { join } from "node:path";
import { UsageError } from "./exit-codes.ts";
import {
  isSameServer,
  type Profile,
  type ProfilesFile,
  readIfThere,
  readProfiles,
  secretFileOf,
  tidyUrl,
  URL_DEFAULT,
} from "./profiles.ts";

/** Options of every command. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly server?: string;
  readonly key?: string;
  readonly json?: boolean;
}

export interface Access extends Profile {
  readonly name: string;
  /** Reason why no key is available; `whyNoToken` for the operator's token. */
  readonly whyNoKey: string;
  readonly whyNoToken: string;
}

/**
 * Resolves the server and the credentials. Precedence: command line, environment, profile, then the
 * address and first key of the server whose data folder is here. Credentials never go to another server: explicit ones go to the
 * chosen server, stored ones only to their own origin. Empty variables and options count as unset.
 */
export function accessOf(options: GlobalOptions, env: NodeJS.ProcessEnv): Access {
  const choice = chooseServer(options, env);
  const found = storedCredentials(choice);
  const apiKey = options.key || env["LONGWAVE_API_KEY"] || found.apiKey;
  const operatorToken = env["LONGWAVE_OPERATOR_TOKEN"] || found.operatorToken;
  const secret = choice.stored?.listenSecret ?? readIfThere(secretFileOf(env))?.trim();
  return {
    name: choice.name,
    url: choice.url,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(operatorToken === undefined ? {} : { operatorToken }),
    ...(secret ? { listenSecret: secret } : {}),
    whyNoKey: withheld(choice, "LONGWAVE_API_KEY or --key") ?? NO_KEY,
    whyNoToken: withheld(choice, "LONGWAVE_OPERATOR_TOKEN") ?? NO_TOKEN,
  };
}

/** Chosen server with its profile. */
interface ServerChoice {
  readonly file: ProfilesFile;
  readonly url: string;
  readonly name: string;
  readonly stored: Profile | undefined;
  readonly local: LocalServer;
}

function chooseServer(options: GlobalOptions, env: NodeJS.ProcessEnv): ServerChoice {
  const file = readProfiles(env);
  const given = options.server || env["LONGWAVE_URL"];
  const wanted = given ? tidyUrl(given) : undefined;
  const named = options.profile || env["LONGWAVE_PROFILE"] || undefined;
  const chosen = chosenProfile(file, wanted, named);
  const local = readLocalServer(env);
  const url = wanted ?? tidyUrl(chosen.stored?.url ?? local.url ?? URL_DEFAULT);
  return { file, url, local, ...chosen };
}

/** Credentials of the profile, or of the data folder here: for its own server, or this machine. */
function storedCredentials({ stored, local, url }: ServerChoice): Partial<Profile> {
  if (stored && isSameServer(stored.url, url)) return stored;
  const isOwn = local.url !== undefined && isSameServer(local.url, url);
  if (!isOwn && !isThisMachine(url)) return {};
  const { url: _, ...credentials } = local;
  return credentials;
}

const NO_KEY =
  "There is no API key: run longwave login, set LONGWAVE_API_KEY, or be in the folder of a server that longwave serve started.";
const NO_TOKEN =
  "This is a call of the operator, and there is no token: set LONGWAVE_OPERATOR_TOKEN, or be in the folder of a server that longwave serve started.";

/** Explains that a profile's key was withheld from another server; null when it was not. */
function withheld({ file, name, stored, url }: ServerChoice, variables: string): string | null {
  if (stored === undefined || isSameServer(stored.url, url)) return null;
  const others = profilesOf(file, url).map(([other]) => other);
  const profile =
    others.length > 0
      ? `choose one of its profiles with --profile: ${others.join(", ")}`
      : `log in there: longwave login --profile NAME --server ${url}`;
  return `The profile ${name} belongs to ${stored.url}, and what it holds is not sent to ${url}. Give ${variables} for that server, or ${profile}.`;
}

/** Named profile; else the current one, unless the chosen server has exactly one other. */
function chosenProfile(
  file: ProfilesFile,
  url: string | undefined,
  named: string | undefined,
): Pick<ServerChoice, "name" | "stored"> {
  const { current, profiles } = file;
  if (named !== undefined) {
    const stored = profiles[named];
    if (stored) return { name: named, stored };
    throw new UsageError(
      `There is no profile ${named}: longwave login --profile ${named} makes it.`,
    );
  }
  const stored = profiles[current];
  if (url === undefined || stored === undefined || isSameServer(stored.url, url)) {
    return { name: current, stored };
  }
  const [only, ...more] = profilesOf(file, url);
  return only && more.length === 0 ? { name: only[0], stored: only[1] } : { name: current, stored };
}

function profilesOf({ profiles }: ProfilesFile, url: string): [string, Profile][] {
  return Object.entries(profiles).filter(([, profile]) => isSameServer(profile.url, url));
}

/** A data folder belongs to a server on this machine only. */
function isThisMachine(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** Content of a server's data folder; the URL is there only while the server runs. */
type LocalServer = Partial<Pick<Profile, "url" | "apiKey" | "operatorToken">>;

function readLocalServer(env: NodeJS.ProcessEnv): LocalServer {
  const folder = env["LONGWAVE_DATA"] || ".longwave";
  const url = stringIn(join(folder, "listening.json"), "url");
  const apiKey = stringIn(join(folder, "first-run.json"), "test_key");
  const operatorToken = readIfThere(join(folder, "operator-token"))?.trim();
  return {
    ...(url && URL.canParse(url) ? { url } : {}),
    ...(apiKey ? { apiKey } : {}),
    ...(operatorToken ? { operatorToken } : {}),
  };
}

/** A field of a JSON file; undefined when either is missing or damaged. */
function stringIn(file: string, field: string): string | undefined {
  try {
    const content = JSON.parse(readIfThere(file) ?? "{}") as Record<string, unknown>;
    const value = content[field];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
