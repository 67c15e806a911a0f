import { isAbsolute, resolve } from "node:path";
import { PRICE_REGISTRATION_MICROS, RATE_LIMIT_DEFAULT_PER_SECOND } from "@longwave/contract";
import { readAddress } from "../db/driver/hosts.ts";
import { otherCountries } from "../platform/foreign-phones.ts";
import { type Cidr, parseCidr } from "../platform/outgoing/addresses.ts";
import {
  parseAllowTargets,
  parseBlockTargets,
  parsePrivateTargets,
} from "../platform/outgoing/targets.ts";
import { parseRuleSettings, RULE_DEFAULTS, type RuleSettings } from "./verify-rules.ts";

const SHOWN_CHARS_MAX = 80;

/** Settings that cannot be used: one line each, with the variable and what it takes. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
  }
}

function problemOf(spec: { variable: string; takes: string }, value: string): string {
  const shown = JSON.stringify(value.slice(0, SHOWN_CHARS_MAX));
  return `${spec.variable} is ${isSecret(spec, value) ? "not usable" : shown}, but it takes ${spec.takes}.`;
}

/** Values that no line of ours may repeat. */
const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  "DATABASE_URL",
  "DATABASE_OWNER_URL",
  "LONGWAVE_OPERATOR_TOKEN",
  "LONGWAVE_SECRET_KEY",
  "LONGWAVE_PROXY",
  "LONGWAVE_LOOKUP_TOKEN",
  "LONGWAVE_REGISTRY_KEY",
  "LONGWAVE_LOOKUP_URL",
  "LONGWAVE_SMTP_URL",
  "LONGWAVE_NOTICES_URL",
]);

/** Addresses with credentials or a query count as secrets in every variable, misspelled ones included. */
function isSecret({ variable }: { variable: string }, value: string): boolean {
  const isAddress = value.includes("://") || value.includes("@");
  return SECRET_VARIABLES.has(variable) || (isAddress && /[?@]/.test(value));
}

type Env = Readonly<Record<string, string | undefined>>;

interface Setting<T> {
  readonly variable: string;
  readonly takes: string;
  readonly meaning: string;
  readonly fallback: T;
  /** The fallback as one would write it. */
  readonly fallbackText: string;
  /** The value, or undefined when the text is not one. */
  readonly parse: (text: string, env: Env) => T | undefined;
}

interface SettingType<T> {
  readonly takes: string;
  readonly parse: (text: string, env: Env) => T | undefined;
  /** The text of a value, where it is not simply the value. */
  readonly format?: (value: T) => string;
}

function setting<T>(
  variable: string,
  type: SettingType<T>,
  fallback: NoInfer<T>,
  meaning: string,
): Setting<T> {
  const fallbackText = type.format?.(fallback) ?? String(fallback ?? "");
  return { variable, takes: type.takes, parse: type.parse, fallback, fallbackText, meaning };
}

const integer = (min: number, max: number) => ({
  takes: `a whole number from ${min} to ${max}`,
  parse: (text: string): number | undefined => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
});
const text = (takes: string, pattern: RegExp) => ({
  takes,
  parse: (value: string): string | undefined => (pattern.test(value) ? value : undefined),
});
const address = (takes: string, pattern: RegExp) => ({
  takes,
  parse: (value: string): string | undefined =>
    pattern.test(value) && URL.canParse(value) ? value : undefined,
});
const optional = <T>(type: { takes: string; parse: (text: string) => T | undefined }) =>
  type as { takes: string; parse: (text: string) => T | null | undefined };
const oneOf = <const V extends readonly string[]>(values: V) => ({
  takes: `one of ${values.join(", ")}`,
  parse: (value: string): V[number] | undefined => values.find((known) => known === value),
});
const flag = {
  takes: "1 or 0",
  parse: (value: string): boolean | undefined =>
    value === "1" ? true : value === "0" ? false : undefined,
  format: (value: boolean) => (value ? "1" : "0"),
};
const listOf = (takes: string, item: RegExp, itemsMin = 0) => ({
  takes,
  parse: (value: string): readonly string[] | undefined => {
    const items = value.split(",").map((part) => part.trim());
    const filled = [...new Set(items.filter((part) => part !== ""))];
    return filled.length >= itemsMin && filled.every((part) => item.test(part))
      ? filled
      : undefined;
  },
});
const readBy = (takes: string, read: (value: string) => unknown) => ({
  takes,
  parse: (value: string): string | undefined => {
    try {
      read(value);
      return value;
    } catch {
      return undefined;
    }
  },
});
const targets = readBy("a comma list of host:port or CIDR", parseAllowTargets);
const privateTargets = readBy(
  "a comma list of hosts, each with or without a port",
  parsePrivateTargets,
);
const blocked = readBy("a comma list of hosts, addresses or CIDR", parseBlockTargets);
const networks = {
  takes: "a comma list of CIDR such as 10.0.0.0/8",
  parse: (value: string): readonly Cidr[] | undefined => {
    const items = value.split(",").map((part) => parseCidr(part.trim()));
    const known = items.filter((cidr) => cidr !== null);
    return known.length === items.length ? known : undefined;
  },
  format: (cidrs: readonly Cidr[]) => cidrs.map((cidr) => cidr.text).join(","),
};
const database = optional({
  takes: "a postgres:// address, or one with several hosts of which one is the primary",
  parse: (value: string): string | undefined =>
    readAddress(value) === undefined || /\s/.test(value) ? undefined : value,
});
const usd = {
  takes: "an amount in US dollars such as 4 or 4.00",
  parse: (value: string): number | undefined =>
    /^\d{1,6}(\.\d{1,6})?$/.test(value) ? Math.round(Number(value) * 1_000_000) : undefined,
  format: (micros: number) => String(micros / 1_000_000),
};

const COUNTRY = /^[A-Z]{2}$/;
const countries = {
  takes: "a comma list of two-letter country codes, with US and CA, such as US,CA,GB",
  parse: (value: string): readonly string[] | undefined => {
    const given = listOf("", COUNTRY, 2).parse(value);
    return given?.includes("US") && given.includes("CA") ? given : undefined;
  },
};
const countryPrices = {
  takes: "a comma list such as GB=0.045,DE=0.09",
  parse: (value: string): Readonly<Record<string, number>> | undefined => {
    const pairs = value.split(",").map((pair) => pair.trim().split("="));
    const prices = pairs.map(([country = "", price = "", ...more]) =>
      COUNTRY.test(country) && more.length === 0 ? [country, usd.parse(price)] : [country],
    );
    const isRight = prices.every(([, price]) => price !== undefined);
    return isRight ? Object.fromEntries(prices) : undefined;
  },
  format: (prices: Readonly<Record<string, number>>) =>
    Object.entries(prices)
      .map(([country, micros]) => `${country}=${usd.format(micros)}`)
      .join(","),
};

const ruleSettings = {
  takes: `a JSON object with any of ${Object.keys(RULE_DEFAULTS).join(", ")}`,
  parse: (value: string, env: Env) => {
    const allowed = countries.parse(env["LONGWAVE_COUNTRIES"] ?? "") ?? [];
    return parseRuleSettings(value, { hasOtherCountries: otherCountries(allowed).length > 0 });
  },
  format: (settings: RuleSettings) => JSON.stringify(settings),
};

/** Every setting of the server. `config.ts` is the only reader of the environment. */
// biome-ignore format: one setting per block, read as a table
const SETTINGS = {
  host: setting("HOST", text("a host name or address", /^[\w.:[\]-]+$/), "127.0.0.1", "Address the API listens on."),
  port: setting("PORT", integer(0, 65_535), 7670, "Port the API listens on; 0 takes any free one."),
  databaseUrl: setting("DATABASE_URL", database, null, "An outside PostgreSQL 15 or newer; postgres://me:secret@one:5432,two:5432/texts names a primary and a standby, whichever is which. Unset: an embedded one under LONGWAVE_DATA."),
  databaseOwnerUrl: setting("DATABASE_OWNER_URL", database, null, "The same PostgreSQL as the owner of its tables, for migrations and partitions; DATABASE_URL then names a role that owns nothing. Unset: DATABASE_URL is used for both."),
  databaseConnections: setting("LONGWAVE_DATABASE_CONNECTIONS", integer(17, 500), 25, "Connections to PostgreSQL that one process opens at most."),
  dataFolder: setting("LONGWAVE_DATA", text("a folder", /^[^\0]+$/), "./.longwave", "Folder of the embedded database and the generated secrets."),
  operatorToken: setting("LONGWAVE_OPERATOR_TOKEN", optional(text("at least 16 characters without spaces", /^\S{16,200}$/)), null, "The operator's bearer token. Unset: made on first run and kept in the data folder."),
  secretKey: setting("LONGWAVE_SECRET_KEY", optional(text("64 hex digits", /^[0-9a-fA-F]{64}$/)), null, "Root key of everything encrypted or derived. Unset: made on first run and kept in the data folder. Machines that share a database need the same one."),
  roles: setting("LONGWAVE_ROLES", listOf("a comma list of api and worker", /^(api|worker)$/, 1), ["api", "worker"], "Roles of this process: api serves requests, worker does background work."),
  processes: setting("LONGWAVE_PROCESSES", integer(1, 64), 1, "API processes on this machine."),
  shards: setting("LONGWAVE_SHARDS", integer(1, 1024), 1, "Shards of a new installation. Read once, when it is made."),
  carriersFile: setting("LONGWAVE_CARRIERS", optional(text("the path of a JSON file", /^[^\0]+$/)), null, "The carriers that live traffic goes through. Unset: carriers.json of LONGWAVE_DATA, where there is one."),
  allowTargets: setting("LONGWAVE_ALLOW_TARGETS", targets, "", "Private targets that webhooks and website checks may reach over plain http. Development and tests only."),
  webhookPrivateTargets: setting("LONGWAVE_WEBHOOK_PRIVATE_TARGETS", privateTargets, "", "Private hosts that webhooks may reach, for receivers on the same network: crm.internal:8443, 10.0.0.5. Every account of the installation can then send events there, over http too. Unset: public addresses only."),
  blockTargets: setting("LONGWAVE_BLOCK_TARGETS", blocked, "", "Public targets that webhooks and website checks must not reach: this installation's own addresses, for example."),
  abuseContact: setting("LONGWAVE_ABUSE_CONTACT", optional(text("an e-mail address or a URL", /^[\w@.:/+-]{3,200}$/)), null, "Contact in the User-Agent of webhooks, for people who receive unwanted ones."),
  proxyUrl: setting("LONGWAVE_PROXY", optional(text("an http:// address", /^https?:\/\/\S+$/)), null, "Forward proxy for webhooks and website checks."),
  trustedProxies: setting("LONGWAVE_TRUSTED_PROXIES", networks, [], "Proxies in front of this server whose X-Forwarded-For is believed."),
  testClock: setting("LONGWAVE_TEST_CLOCK", flag, false, "Lets the operator move the service's time forward. Tests only."),
  rateLimitPerSecond: setting("LONGWAVE_RATE_LIMIT", integer(0, 1_000_000), RATE_LIMIT_DEFAULT_PER_SECOND, "Requests a second for an account without a limit of its own; 0 is off."),
  longPollsPerAccountMax: setting("LONGWAVE_LONG_POLLS", integer(1, 2_000), 100, "Calls of one account that each API process holds open while they wait for events."),
  bodyMemoryMiB: setting("LONGWAVE_BODY_MEMORY", integer(16, 4_096), 128, "MiB of request bodies that each API process holds at a time. One account may use a quarter of it."),
  batchPacePerSecond: setting("LONGWAVE_BATCH_PACE", integer(0, 1_000_000), 1_000, "Texts a second that one sandbox number sends of its batches. 0 turns pacing off, for live numbers too."),
  billing: setting("LONGWAVE_BILLING", oneOf(["on", "off"]), "on", "off turns billing off, for an installation that sends its own traffic alone: everything costs 0, no call answers 402, and accounts without a daily quota of their own have none. Usage is still counted."),
  priceUnit: setting("LONGWAVE_PRICE_UNIT", oneOf(["message", "segment"]), "message", "Unit of the price of a text."),
  priceRegistrationMicros: setting("LONGWAVE_PRICE_REGISTRATION", usd, PRICE_REGISTRATION_MICROS, "Price of submitting a registration, in US dollars."),
  countries: setting("LONGWAVE_COUNTRIES", countries, ["US", "CA"], "Countries that may be texted, US and CA among them. docs/international.md says what others need."),
  countryPricesMicros: setting("LONGWAVE_COUNTRY_PRICES", countryPrices, {}, "Prices of a text to other countries, in US dollars, such as GB=0.045,DE=0.09. Unset: as in the US."),
  extraRegions: setting("LONGWAVE_EXTRA_REGIONS", listOf("a comma list of PR, VI, GU, AS, MP", /^(PR|VI|GU|AS|MP)$/), [], "US territories that may be texted."),
  verifyNumbers: setting("LONGWAVE_VERIFY_NUMBERS", listOf("a comma list of +1 numbers", /^\+1\d{10}$/), [], "The numbers that verification codes, and sandbox messages to an account's own phones, are sent from."),
  verifyDomain: setting("LONGWAVE_VERIFY_DOMAIN", optional(text("a domain name", /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z]{2,63}$/)), null, "The domain named in the last line of a code's text, so that browsers on it fill the code in."),
  secondCodeSeconds: setting("LONGWAVE_SECOND_CODE_SECONDS", integer(0, 300), 0, "Seconds after which a code of the service's own numbers is sent once more over another carrier, if neither a receipt nor a check came; 0 is never. docs/verification.md explains it."),
  lookupUrl: setting("LONGWAVE_LOOKUP_URL", optional(address("an https:// address with {phone} in it", /^https?:\/\/[^\s{}]+\{phone\}[^\s{}]*$/)), null, "Lookup service for line types: GET with {phone} replaced, answering line_type, carrier and ported as JSON."),
  lookupToken: setting("LONGWAVE_LOOKUP_TOKEN", optional(text("a token without spaces", /^\S{1,500}$/)), null, "Bearer token for LONGWAVE_LOOKUP_URL."),
  verifyRules: setting("LONGWAVE_VERIFY_RULES", ruleSettings, RULE_DEFAULTS, "Thresholds of fraud protection that differ from the defaults; docs/verification.md explains each."),
  registry: setting("LONGWAVE_REGISTRY", oneOf(["operator", "simulator", "telnyx"]), "operator", "Registry of live registrations: operator leaves the decision to the operator alone, telnyx files campaigns through Telnyx's 10DLC API, simulator is a registry for demos and tests."),
  registryKey: setting("LONGWAVE_REGISTRY_KEY", optional(text("a key without spaces", /^\S{1,500}$/)), null, "API key for the registry; telnyx needs one."),
  registryUrl: setting("LONGWAVE_REGISTRY_URL", text("an origin such as https://api.telnyx.com", /^https?:\/\/[\w.:[\]-]+$/), "https://api.telnyx.com", "Origin of the registry's API. Tests, and proxies of your own."),
  tollFree: setting("LONGWAVE_TOLL_FREE", oneOf(["active", "verify"]), "active", "Toll-free numbers of live keys: active sends from the purchase on, verify keeps a bought number pending until a registration of kind toll_free is approved, or the operator vouches for it."),
  sandboxReview: setting("LONGWAVE_SANDBOX_REVIEW", oneOf(["manual", "auto"]), "manual", "auto approves submitted registrations of sandbox keys by itself."),
  importTwilioUrl: setting("LONGWAVE_IMPORT_TWILIO_URL", optional(text("an origin such as https://twilio.example.com", /^https?:\/\/[\w.:[\]-]+$/)), null, "Origin that imports call instead of Twilio's hosts. Tests, and proxies of your own."),
  importTelnyxUrl: setting("LONGWAVE_IMPORT_TELNYX_URL", optional(text("an origin such as https://telnyx.example.com", /^https?:\/\/[\w.:[\]-]+$/)), null, "Origin that imports call instead of Telnyx's host. Tests, and proxies of your own."),
  twilioApi: setting("LONGWAVE_TWILIO_API", flag, false, "Serves the paths of Twilio's REST API too, for programs that use Twilio's client; docs/coming-from-twilio.md explains it."),
  twilioHttpsPort: setting("LONGWAVE_TWILIO_HTTPS_PORT", optional(integer(1, 65_535)), null, "Answers Twilio's own host names over HTTPS on this port, for programs whose host is fixed; needs LONGWAVE_TWILIO_API=1. docs/twilio-hosts.md explains it."),
  twilioProxyPort: setting("LONGWAVE_TWILIO_PROXY_PORT", optional(integer(1, 65_535)), null, "Port of a CONNECT proxy that forwards Twilio's host names to this server and refuses every other host, for programs that take HTTPS_PROXY; needs LONGWAVE_TWILIO_HTTPS_PORT."),
  twilioHosts: setting("LONGWAVE_TWILIO_HOSTS", listOf("a comma list of names such as api.twilio.com", /^[a-z0-9.-]{1,60}\.twilio\.com$/, 1), ["api.twilio.com", "verify.twilio.com", "lookups.twilio.com", "messaging.twilio.com"], "Twilio's host names that this server answers for."),
  twilioAddress: setting("LONGWAVE_TWILIO_ADDRESS", text("a host name or address", /^[\w.:[\]-]+$/), "127.0.0.1", "Address that LONGWAVE_TWILIO_HTTPS_PORT and LONGWAVE_TWILIO_PROXY_PORT listen on."),
  publicUrl: setting("LONGWAVE_PUBLIC_URL", optional(text("an origin such as https://texts.example.com", /^https?:\/\/[\w.:[\]-]+$/)), null, "Origin under which browsers reach this server; links into the console begin with it. With https the session's cookie is Secure."),
  smtpUrl: setting("LONGWAVE_SMTP_URL", optional(address("an smtp:// or smtps:// address that ends in from=, such as smtp://user:password@mail.example.com:587?from=texts@example.com", /^smtps?:\/\/[^\s?]+\?(\S+&)?from=[^\s&@]+@[^\s&]+$/)), null, "Mail server for invitations, password links, and notices of problems to admins and operators; with LONGWAVE_PUBLIC_URL people can also request a reset link themselves. A mailed reset link is not shown to its maker. Unset: the maker copies the link."),
  noticesUrl: setting("LONGWAVE_NOTICES_URL", optional(address("an http:// or https:// address, such as https://hooks.example.com/T0/B0", /^https?:\/\/[^\s]+$/)), null, "Webhook of the operator for notices of problems and decisions, beside mail: a POST of JSON whose text chat programs show. A private address needs LONGWAVE_ALLOW_TARGETS."),
  sessionIdleMinutes: setting("LONGWAVE_SESSION_IDLE_MINUTES", integer(1, 10_080), 30, "A console session ends after this long without use."),
  sessionHours: setting("LONGWAVE_SESSION_HOURS", integer(1, 720), 12, "A console session ends after this long in any case."),
  secondFactorOf: setting("LONGWAVE_REQUIRE_SECOND_FACTOR", listOf("a comma list of operators and owners", /^(operators|owners)$/), [], "People who need a passkey or an authenticator app to sign in to the console: operators, owners of an account, or both. Until they have set it up, the console lets them do nothing else."),
  requestLog: setting("LONGWAVE_REQUEST_LOG", flag, true, "Stores the API requests of accounts for 7 days (method, path, status, code, duration, and the error of refused ones), for the console's page Request log."),
  requestLogBodies: setting("LONGWAVE_REQUEST_LOG_BODIES", oneOf(["test", "all", "none"]), "test", "Modes whose refused calls keep the bodies of request and answer in the request log, 2 KB each, with secrets redacted: the sandbox, both, or none."),
  metricsPort: setting("LONGWAVE_METRICS_PORT", optional(integer(1, 65_535)), null, "Serves /metrics on a port of its own. Unset: on the API's port, to this machine alone."),
  metricsHost: setting("LONGWAVE_METRICS_HOST", text("a host name or address", /^[\w.:[\]-]+$/), "127.0.0.1", "Address that LONGWAVE_METRICS_PORT listens on. Every client that reaches it can read the metrics."),
  logLevel: setting("LOG_LEVEL", oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]), "info", "Least severe level that is logged. At info: one line per request, without health checks and pages; warn turns request lines off."),
  logFormat: setting("LOG_FORMAT", oneOf(["auto", "json", "text"]), "auto", "auto pretty-prints on a terminal and writes JSON lines otherwise."),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** Every variable there is: the carriers file may name one that holds a password. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;

/** Reads the settings; throws one ConfigError for all that cannot be used. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, spec] of Object.entries(SETTINGS)) {
    const given = env[spec.variable];
    if (given === undefined || given === "") {
      values[name] = spec.fallback;
      continue;
    }
    const value = spec.parse(given, env);
    if (value === undefined) problems.push(problemOf(spec, given));
    values[name] = value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const config = values as Config;
  const folder = config.dataFolder;
  return { ...config, dataFolder: isAbsolute(folder) ? folder : resolve(folder) };
}

/** Every setting as it is, for `check-config`: what is set, what is not, and what is wrong. */
export function describeConfig(env: Readonly<Record<string, string | undefined>>): {
  lines: string[];
  problems: string[];
} {
  const lines: string[] = [];
  const problems: string[] = [];
  for (const spec of Object.values(SETTINGS)) {
    const given = env[spec.variable];
    if (given === undefined || given === "") {
      lines.push(`${spec.variable}=${spec.fallbackText}   (default)`);
    } else if (spec.parse(given, env) === undefined) {
      problems.push(problemOf(spec, given));
    } else {
      lines.push(`${spec.variable}=${isSecret(spec, given) ? "(set)" : given}`);
    }
  }
  for (const name of unknownVariables(env)) problems.push(unknownVariableLine(name));
  return { lines, problems };
}

export function unknownVariableLine(name: string): string {
  return `There is no setting ${name}. Remove it, or take the name that docs/operations.md has for it.`;
}

/** Variables of the command line and the examples, often set in the shell that starts the server. */
const CLIENT_VARIABLES = ["API_KEY", "CONFIG", "NUMBER", "PROFILE", "URL"].map(
  (name) => `LONGWAVE_${name}`,
);

/** Variables that look like ours and are not: a typing error that would be ignored in silence. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const settings = Object.values(SETTINGS).map((spec) => spec.variable);
  const known = new Set<string>([...settings, ...CLIENT_VARIABLES]);
  return Object.keys(env).filter((name) => name.startsWith("LONGWAVE_") && !known.has(name));
}

/** The settings as rows, for docs/operations.md. */
export function settingRows(): readonly {
  variable: string;
  takes: string;
  meaning: string;
  fallback: string;
}[] {
  return Object.values(SETTINGS).map((spec) => ({
    variable: spec.variable,
    takes: spec.takes,
    meaning: spec.meaning,
    fallback: spec.fallbackText,
  }));
}
