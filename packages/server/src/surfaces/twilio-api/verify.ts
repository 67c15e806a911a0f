import {
  fromTwilioSid,
  normalizePhone,
  Problem,
  toTwilioSid,
  type Verification,
  type VerificationCheck,
} from "@longwave/contract";
import { expect } from "../../core/platform/assert.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { Principal } from "../../http/api/caller.ts";
import type { PipelineAnswer } from "../../http/api/handler.ts";
import { newestVerification } from "../../messaging/verify/index.ts";
import { accountSid, type TwilioRequest, type TwilioRoute } from "./api.ts";
import { isoSeconds } from "./dates.ts";
import { TwilioRefusal } from "./refusals.ts";

const BASE = "/v2/Services/{service}";

export const verifyRoutes: readonly TwilioRoute[] = [
  {
    method: "POST",
    path: `${BASE}/Verifications`,
    family: "verify",
    asRoute: "verify.start",
    form: { takes: ["To", "Channel", "CustomFriendlyName"] },
    handle: start,
  },
  {
    method: "GET",
    path: `${BASE}/Verifications/{sid}`,
    family: "verify",
    asRoute: "verify.get",
    form: { takes: [] },
    handle: async (request) => {
      checkService(request);
      const verification = await verificationOf(request, request.params["sid"] as string);
      return { status: 200, body: present(request, verification) };
    },
  },
  {
    method: "POST",
    path: `${BASE}/VerificationCheck`,
    family: "verify",
    asRoute: "verify.check",
    form: { takes: ["To", "Code", "VerificationSid"] },
    handle: check,
  },
];

/** An account has one service; its sid derives from the account's id. */
export function verifyServiceSid({ account }: Principal): string {
  return toTwilioSid("verify_service", account.id);
}

export function checkService({ caller, params }: TwilioRequest): void {
  if (params["service"] === verifyServiceSid(caller)) return;
  const message = `There is no such service. Yours is ${verifyServiceSid(caller)}.`;
  throw new TwilioRefusal(20404, message);
}

async function start(request: TwilioRequest): Promise<PipelineAnswer> {
  checkService(request);
  const { form } = request;
  const phone = required(request, "To");
  if (required(request, "Channel") !== "sms") {
    throw new TwilioRefusal(60200, "Invalid parameter: Channel must be sms.");
  }
  const appName = form.get("CustomFriendlyName");
  const body = { phone, ...(appName ? { app_name: appName } : {}) };
  const made = await request.call("verify.start", { body });
  return { status: 201, body: present(request, made.body as Verification) };
}

async function check(request: TwilioRequest): Promise<PipelineAnswer> {
  checkService(request);
  const code = required(request, "Code");
  const sid = request.form.get("VerificationSid");
  const given = sid ? (await verificationOf(request, sid)).phone : required(request, "To");
  const phone = normalizePhone(given) ?? given;
  // Read before the check, because a newer verification may exist afterwards.
  const verification = await newestVerification(request.deps, request.caller, phone);
  const { body } = await request.call("verify.check", { body: { phone, code } });
  const { status, verified } = body as VerificationCheck;
  const checked = expect(verification, "a code was checked that nobody was sent");
  const {
    send_code_attempts: _,
    lookup: __,
    url: ___,
    sna: ____,
    ...shown
  } = present(request, {
    ...checked,
    status,
  });
  return { status: 201, body: { ...shown, valid: verified, sna_attempts_error_codes: [] } };
}

function required({ form }: TwilioRequest, name: string): string {
  const value = form.get(name);
  if (value) return value;
  throw new TwilioRefusal(60200, `Missing required parameter ${name}.`);
}

/** Finds a verification by its sid or by its phone. */
async function verificationOf(request: TwilioRequest, sid: string): Promise<Verification> {
  const uuid = fromTwilioSid("verification", sid);
  if (uuid !== null) {
    const id = toApiId("verification", uuid);
    return (await request.call("verify.get", { params: { id } })).body as Verification;
  }
  const phone = normalizePhone(sid);
  const found =
    phone === null ? null : await newestVerification(request.deps, request.caller, phone);
  if (found) return found;
  throw new Problem("not_found", `There is no verification ${sid.slice(0, 64)}.`);
}

const STATUSES: Readonly<Record<Verification["status"], string>> = {
  pending: "pending",
  approved: "approved",
  expired: "expired",
  max_attempts: "max_attempts_reached",
};

function present({ caller }: TwilioRequest, verification: Verification) {
  const uuid = expect(fromApiId("verification", verification.id), "a verification has no id");
  const sid = toTwilioSid("verification", uuid);
  const service = verifyServiceSid(caller);
  const createdAt = isoSeconds(verification.created_at);
  return {
    account_sid: accountSid(caller),
    amount: null,
    channel: "sms",
    date_created: createdAt,
    date_updated: isoSeconds(verification.approved_at ?? verification.created_at),
    lookup: {},
    payee: null,
    send_code_attempts: [{ attempt_sid: null, channel: "sms", time: createdAt }],
    service_sid: service,
    sid,
    sna: null,
    status: STATUSES[verification.status],
    to: verification.phone,
    url: `/v2/Services/${service}/Verifications/${sid}`,
    valid: verification.status === "approved",
  };
}
