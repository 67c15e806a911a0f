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

/** What the command line gives for every command. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly server?: string;
  readonly key?: string;
  readonly json?: boolean;
}

export interface Access extends Profile {
  readonly name: string;
  /** Why there is no key, where there is none; the same for the operator's token. */
  readonly whyNoKey: string;
  readonly whyNoToken: string;
}

/**
 * Whom to ask, and with which key. The command line wins over the environment, that over the
 * profile, and in a folder where a server keeps its data its first key is found by itself. What was
 * kept for one server is never sent to another one: a key that is given along is for the server that
 * is asked, a key that was kept only for the origin that it was kept for.
 * A variable or an option that is empty is as one that is not given.
 */
export function accessOf(options: GlobalOptions, env: NodeJS.ProcessEnv): Access {
  const place = placeOf(options, env);
  const found = heldFor(place, env);
  const apiKey = options.key || env["LONGWAVE_API_KEY"] || found.apiKey;
  const operatorToken = env["LONGWAVE_OPERATOR_TOKEN"] || found.operatorToken;
  const secret = place.kept?.listenSecret ?? readIfThere(secretFileOf(env))?.trim();
  return {
    name: place.name,
    url: place.url,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(operatorToken === undefined ? {} : { operatorToken }),
    ...(secret ? { listenSecret: secret } : {}),
    whyNoKey: withheld(place, "LONGWAVE_API_KEY or --key") ?? NO_KEY,
    whyNoToken: withheld(place, "LONGWAVE_OPERATOR_TOKEN") ?? NO_TOKEN,
  };
}

/** Which server is asked, and which profile goes with it. */
interface Place {
  readonly file: ProfilesFile;
  readonly url: string;
  readonly name: string;
  readonly kept: Profile | undefined;
}

function placeOf(options: GlobalOptions, env: NodeJS.ProcessEnv): Place {
  const file = readProfiles(env);
  const given = options.server || env["LONGWAVE_URL"];
  const wanted = given ? tidyUrl(given) : undefined;
  const named = options.profile || env["LONGWAVE_PROFILE"] || undefined;
  const chosen = chosenProfile(file, wanted, named);
  return { file, url: wanted ?? tidyUrl(chosen.kept?.url ?? URL_DEFAULT), ...chosen };
}

/** The profile's own, or what lies in the folder of a server on this machine. */
function heldFor({ kept, url }: Place, env: NodeJS.ProcessEnv): Partial<Profile> {
  if (kept && isSameServer(kept.url, url)) return kept;
  return isThisMachine(url) ? localAccess(env) : {};
}

const NO_KEY =
  "There is no API key: run longwave login, set LONGWAVE_API_KEY, or be in the folder of a server that longwave serve started.";
const NO_TOKEN =
  "This is a call of the operator, and there is no token: set LONGWAVE_OPERATOR_TOKEN, or be in the folder of a server that longwave serve started.";

/** The sentence for a profile whose key stays where it is; null where there is none such. */
function withheld({ file, name, kept, url }: Place, variables: string): string | null {
  if (kept === undefined || isSameServer(kept.url, url)) return null;
  const others = profilesOf(file, url).map(([other]) => other);
  const profile =
    others.length > 0
      ? `choose one of its profiles with --profile: ${others.join(", ")}`
      : `log in there: longwave login --profile NAME --server ${url}`;
  return `The profile ${name} belongs to ${kept.url}, and what it holds is not sent to ${url}. Give ${variables} for that server, or ${profile}.`;
}

/** The one that was named; else the current one, unless another is the only one of the server that is asked. */
function chosenProfile(
  file: ProfilesFile,
  url: string | undefined,
  named: string | undefined,
): Pick<Place, "name" | "kept"> {
  const { current, profiles } = file;
  if (named !== undefined) {
    const kept = profiles[named];
    if (kept) return { name: named, kept };
    throw new UsageError(
      `There is no profile ${named}: longwave login --profile ${named} makes it.`,
    );
  }
  const kept = profiles[current];
  if (url === undefined || kept === undefined || isSameServer(kept.url, url)) {
    return { name: current, kept };
  }
  const [only, ...more] = profilesOf(file, url);
  return only && more.length === 0 ? { name: only[0], kept: only[1] } : { name: current, kept };
}

function profilesOf({ profiles }: ProfilesFile, url: string): [string, Profile][] {
  return Object.entries(profiles).filter(([, profile]) => isSameServer(profile.url, url));
}

/** A server that keeps its data in a folder here is asked here. */
function isThisMachine(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
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
