export const BASE_URL_DEFAULT = "http://127.0.0.1:7670";

export interface ClientOptions {
  /** `svc_sk_test_…` or `svc_sk_live_…`. Default: the variable LONGWAVE_API_KEY. */
  readonly apiKey?: string | undefined;
  /** For the calls under `operator`. Default: the variable LONGWAVE_OPERATOR_TOKEN. */
  readonly operatorToken?: string | undefined;
  /** URL of the server. Default: the variable LONGWAVE_URL, or http://127.0.0.1:7670. */
  readonly baseUrl?: string | undefined;
  /** Timeout of one attempt. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum delay before each retry of a network error, a 429 or a 5xx; `[]` turns retries off. A
   * longer Retry-After is honoured, up to a minute. Default: [500, 2000].
   */
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of a client, with its address checked and the environment's values for absent ones. */
export interface ClientSettings extends ClientOptions {
  /** Absolute URL without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
}

/** Fills absent options from the environment; an empty variable counts as unset. */
export function settingsOf(options: ClientOptions): ClientSettings {
  const { apiKey, operatorToken, baseUrl } = options;
  const fromEnvironment = baseUrl === undefined ? variable("LONGWAVE_URL") : undefined;
  return {
    ...options,
    apiKey: apiKey ?? variable("LONGWAVE_API_KEY"),
    operatorToken: operatorToken ?? variable("LONGWAVE_OPERATOR_TOKEN"),
    baseUrl: fromEnvironment
      ? checkedUrl("LONGWAVE_URL", fromEnvironment)
      : checkedUrl("baseUrl", baseUrl ?? BASE_URL_DEFAULT),
  };
}

/** People paste `/v1` and a trailing slash along. */
function checkedUrl(name: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isGood =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isGood) return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
  // The value may hold a password, so an error must not repeat it.
  const shown = url?.password ? "" : `; ${JSON.stringify(given)} is not`;
  throw new TypeError(`${name} must be the server's URL, such as ${BASE_URL_DEFAULT}${shown}.`);
}

/** An environment variable; undefined in browsers, and in Deno without permission to read it. */
function variable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
