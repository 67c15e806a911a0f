import {
  type Account,
  formatTimestamp,
  microsToUsd,
  roleAllows,
  toTwilioSid,
} from "@longwave/contract";
import { nextMonthMs } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { type AccountRow, callerApiId, type Principal } from "../../http/api/caller.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { requireLiveOnceGranted } from "../../http/api/modes.ts";
import type { Actor } from "../audit/index.ts";
import { authTokensOf, rollAuthToken } from "./auth-token.ts";
import type { AccountsDeps } from "./deps.ts";
import { requestLiveAccess } from "./live-access.ts";
import { readQuietHours, showQuietHours } from "./quiet-hours.ts";
import { changeAccount } from "./update.ts";

export const accountHandlers: HandlersOf<
  "account.get" | "account.update" | "account.rollTwilioAuthToken" | "liveAccess.request",
  AccountsDeps
> = {
  "account.get": async ({ deps, caller }) => ({
    status: 200,
    body: {
      ...(await presentAccount(deps, caller, caller.account)),
      twilio_auth_token:
        deps.config.twilioApi && hasFullAccess(caller)
          ? (await authTokensOf(deps, caller.account.id))[caller.mode]
          : null,
    },
  }),

  "account.update": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      if (body.redact_after_days !== undefined) {
        requireLiveOnceGranted(caller, "The redaction of old messages", "redact_after_days");
      }
      const by = { actor: actorOf(caller), ip };
      const phraseOptOut = body.phrase_opt_out === null ? "opt_out" : body.phrase_opt_out;
      const smartEncoding = body.smart_encoding === null ? false : body.smart_encoding;
      const changes = {
        phrase_opt_out: phraseOptOut,
        smart_encoding: smartEncoding,
        redact_after_days: body.redact_after_days,
        opt_in_required: body.opt_in_required === null ? false : body.opt_in_required,
        ...(body.quiet_hours === undefined
          ? {}
          : { quiet_hours: readQuietHours(body.quiet_hours) || null }),
      };
      const account = await changeAccount(deps, tx, caller.account.id, changes, by);
      return { status: 200, body: await presentAccount(deps, caller, account) };
    }),

  "account.rollTwilioAuthToken": async ({ deps, caller, ip, transact }) =>
    transact(async (tx) => {
      const token = await rollAuthToken(deps, tx, caller, { actor: actorOf(caller), ip });
      const account = await presentAccount(deps, caller, caller.account);
      return {
        status: 200,
        body: { ...account, twilio_auth_token: deps.config.twilioApi ? token : null },
      };
    }),

  "liveAccess.request": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => {
      const by = { actor: actorOf(caller), ip };
      const account = await requestLiveAccess(deps, tx, caller.account, body, by);
      return { status: 200, body: await presentAccount(deps, caller, account) };
    }),
};

/** Name of a caller in the audit log. */
export function actorOf(caller: Principal): Actor {
  const id = callerApiId(caller);
  if (caller.kind === "user") return { type: "user", id, name: caller.userName };
  return { type: "api_key", id, name: caller.keyName };
}

async function presentAccount(
  deps: AccountsDeps,
  caller: Principal,
  account: AccountRow,
): Promise<Account> {
  const balance = await deps.balances.add(account);
  return {
    id: toApiId("account", account.id),
    object: "account",
    name: account.name,
    status: account.status,
    live_access: account.live_access,
    balance_usd: microsToUsd(balance.balanceMicros),
    phrase_opt_out: account.phrase_opt_out,
    smart_encoding: account.smart_encoding,
    quiet_hours: showQuietHours(account.quiet_hours),
    redact_after_days: account.redact_after_days,
    opt_in_required: account.opt_in_required,
    free_allowance: {
      texts_left: balance.messagesLeft,
      verifications_left: balance.verificationsLeft,
      resets_at: formatTimestamp(nextMonthMs(deps.clock.now())),
    },
    billing: {
      enabled: deps.config.billing === "on",
      registration_usd: {
        campaign: microsToUsd(deps.prices.registrationPriceOf("campaign")),
        toll_free: microsToUsd(deps.prices.registrationPriceOf("toll_free")),
      },
    },
    key: presentKey(caller),
    twilio_account_sid: deps.config.twilioApi ? toTwilioSid("account", account.id) : null,
    twilio_verify_sid: deps.config.twilioApi ? toTwilioSid("verify_service", account.id) : null,
    twilio_auth_token: null,
  };
}

/** Whether the caller may see the account's signing secret. */
function hasFullAccess(caller: Principal): boolean {
  return caller.kind === "user" ? roleAllows(caller.role, "admin") : caller.scopes === null;
}

/** API key of the caller; a person in the console has none. */
function presentKey(caller: Principal): Account["key"] {
  if (caller.kind === "user") return null;
  const scopes = caller.scopes ? [...caller.scopes] : null;
  const id = toApiId("api_key", caller.keyId);
  return { id, mode: caller.mode, scopes, name: caller.keyName };
}
