import { timingSafeEqual } from "node:crypto";
import { fromTwilioSid, KEY_MODES, type Mode } from "@longwave/contract";
import { authTokensOf, readAccount } from "../../account/accounts/index.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { type Authenticator, basicOf } from "../../http/auth/admission.ts";
import type { TwilioDeps } from "./deps.ts";

const TOKEN = /^[0-9a-f]{32}$/;

/**
 * Authenticates by an auth token, for programs that sign in and check callbacks with one secret. The user name
 * must be the account's own id or sid, because tokens are not stored and cannot be searched.
 */
export function authToken(deps: TwilioDeps): Authenticator {
  return async ({ request }) => {
    const { name, password } = basicOf(request);
    const id = fromTwilioSid("account", name) ?? fromApiId("account", name);
    if (id === null || !TOKEN.test(password)) return null;
    const account = await readAccount(deps.db, id);
    const mode = account === null ? null : await modeOf(deps, id, password);
    if (account === null || mode === null) return null;
    // The account's id stands in for a key's in logs.
    const named = { keyId: account.id, keyName: "auth token", allowedIps: null };
    return { kind: "key", account, mode, scopes: null, ...named };
  };
}

async function modeOf(deps: TwilioDeps, accountId: string, password: string): Promise<Mode | null> {
  const tokens = await authTokensOf(deps, accountId);
  const isToken = (token: string) => timingSafeEqual(Buffer.from(token), Buffer.from(password));
  return KEY_MODES.find((mode) => isToken(tokens[mode])) ?? null;
}
