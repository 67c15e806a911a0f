import type { Clock } from "../../../core/platform/clock.ts";
import type { Outgoing } from "../../../core/platform/outgoing/index.ts";
import type { AuthOptions } from "./auth-config.ts";
import { parseLoosely, stringAt } from "./path.ts";

const TOKEN_BYTES_MAX = 65_536;
const TOKEN_DEADLINE_MS = 20_000;
/** A token is renewed this long before it expires, or after half of a shorter life. */
const RENEWED_BEFORE_MS = 60_000;
/** Life of a token whose answer names none. */
const LIFE_SECONDS = 300;
/** A token younger than this was refused for another reason than its age. */
const FRESH_MS = 30_000;

/** Reason why no token could be had. */
export interface TokenProblem {
  readonly problem: string;
  readonly isUnreachable: boolean;
}

/** Value of the authorization header. */
export interface Authorizer {
  /** Null for none, undefined when `prepare` must fetch one first. */
  value(): string | null | undefined;
  /** Fetches a token; resolves with the problem if there is one. */
  prepare(): Promise<TokenProblem | null>;
  /** Drops a refused token. False: no other can be had, so the credentials are wrong. */
  renew(): boolean;
}

export function createAuthorizer(
  options: AuthOptions | null,
  deps: { readonly clock: Clock; readonly outgoing: Outgoing; readonly signal: AbortSignal },
): Authorizer {
  if (options?.type === "oauth2") return new TokenCache(options, deps);
  const value = options?.value ?? null;
  return { value: () => value, prepare: async () => null, renew: () => false };
}

type OAuth2 = Extract<AuthOptions, { type: "oauth2" }>;

/** OAuth 2.0 client credentials (RFC 6749, section 4.4). One request for a token at a time. */
class TokenCache implements Authorizer {
  readonly #options: OAuth2;
  readonly #deps: Parameters<typeof createAuthorizer>[1];
  #token: { value: string; gotAtMs: number; renewAtMs: number } | null = null;
  #asking: Promise<TokenProblem | null> | null = null;

  constructor(options: OAuth2, deps: Parameters<typeof createAuthorizer>[1]) {
    this.#options = options;
    this.#deps = deps;
  }

  value(): string | undefined {
    const token = this.#token;
    return token && this.#deps.clock.monotonic() < token.renewAtMs ? token.value : undefined;
  }

  prepare(): Promise<TokenProblem | null> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  renew(): boolean {
    const token = this.#token;
    if (token === null) return true;
    if (this.#deps.clock.monotonic() - token.gotAtMs < FRESH_MS) return false;
    this.#token = null;
    return true;
  }

  async #ask(): Promise<TokenProblem | null> {
    const { tokenUrl, clientId, clientSecret, scope } = this.#options;
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (scope !== null) form.set("scope", scope);
    const basic = Buffer.from(
      `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`,
    );
    const result = await this.#deps.outgoing
      .request({
        method: "POST",
        url: tokenUrl,
        headers: [
          ...["authorization", `Basic ${basic.toString("base64")}`],
          ...["content-type", "application/x-www-form-urlencoded", "accept", "application/json"],
        ],
        body: form.toString(),
        deadlineMs: TOKEN_DEADLINE_MS,
        bodyBytesMax: TOKEN_BYTES_MAX,
        reuse: true,
        signal: this.#deps.signal,
      })
      .catch(() => null);
    if (result === null) return { problem: "The carrier is stopping.", isUnreachable: true };
    if (result.kind === "failed") return { problem: result.detail, isUnreachable: true };
    const answer = parseLoosely(result.body.toString("utf8"));
    const value = stringAt(answer, ["access_token"]);
    if (result.status !== 200 || value === null || !/^[\x21-\x7e]{1,8000}$/.test(value)) {
      const problem = `No token: ${new URL(tokenUrl).host} answered http:${result.status}.`;
      return { problem, isUnreachable: result.status >= 500 };
    }
    const lifeMs = (Number(stringAt(answer, ["expires_in"])) || LIFE_SECONDS) * 1_000;
    const nowMs = this.#deps.clock.monotonic();
    const renewAtMs = nowMs + Math.max(lifeMs / 2, lifeMs - RENEWED_BEFORE_MS);
    this.#token = { value: `Bearer ${value}`, gotAtMs: nowMs, renewAtMs };
    return null;
  }
}
