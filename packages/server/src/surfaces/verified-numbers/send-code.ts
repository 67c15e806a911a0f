import { counted, type LineType, Problem, VERIFIED_NUMBER_SENDS_MAX } from "@longwave/contract";
import {
  countDailySend,
  countVerifiedNumberCode,
  type Principal,
} from "../../account/accounts/index.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { nextDayMs } from "../../core/platform/clock.ts";
import {
  acceptIn,
  NO_SLOTS,
  type OutboundDeps,
  type OutboundRequest,
  prepare,
} from "../../messaging/outbound/index.ts";
import {
  codeSender,
  hasStoppedService,
  maskedText,
  scoreVerifiedNumberCode,
} from "../../messaging/verify/index.ts";
import { codeToSend, type VerifiedNumberRow, writeVerifiedNumber } from "./rows.ts";

const APP_NAME = "Longwave";

/** Recipient of a code, with the facts that the fraud rules need. */
export interface CodeTarget {
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
}

/** The row, and whether the message stayed in the sandbox; or a refusal whose writes must be committed. */
export type SentCode =
  | { readonly row: VerifiedNumberRow; readonly isSimulated: boolean }
  | { readonly refusal: Problem };

/**
 * Sends a code to a phone. A code through a real carrier passes the fraud rules of POST /verify and the daily
 * caps.
 */
export async function sendCode(
  deps: OutboundDeps,
  tx: Tx,
  { account, mode }: Principal,
  target: CodeTarget,
  before: VerifiedNumberRow | null,
): Promise<SentCode> {
  const { phone } = target;
  const now = deps.clock.now();
  const sender = codeSender(deps, mode, phone);
  if (sender === null) {
    throw new Problem(
      "unavailable",
      "The service has no number to send codes from. Ask the operator to set LONGWAVE_VERIFY_NUMBERS.",
    );
  }
  if (await hasStoppedService(tx, phone)) {
    throw new Problem("recipient_opted_out", `${phone} has told the service to stop.`, {
      param: "phone_number",
    });
  }
  const code = codeToSend(deps, before);
  if (code.sends > VERIFIED_NUMBER_SENDS_MAX)
    throw tooMany(phone, (code.expiresAtMs - now) / 1_000);
  if (sender.isViaCarrier) {
    const isResend = code.sends > 1;
    const refused = await scoreVerifiedNumberCode(deps, tx, { account, mode, ...target, isResend });
    if (refused?.kind === "limited") throw tooMany(phone, refused.retryAfterSeconds);
    if (refused !== null) return { refusal: blocked(refused.reason) };
    await takeDailySends(tx, account, phone, now);
  }
  const request: OutboundRequest = {
    account,
    mode,
    from: sender.from,
    to: phone,
    body: maskedText(APP_NAME, null),
    customerId: null,
    poolId: null,
    verificationId: code.codeId,
    expiresAtMs: code.expiresAtMs,
    fromService: true,
    usesRealCarrier: sender.isViaCarrier,
  };
  // The dispatch lane submits it within moments: the request does not wait for a carrier.
  const prepared = await prepare(deps, request, NO_SLOTS);
  if (prepared.row.status === "failed") {
    throw new Problem("carrier_error", "The carrier refused the text for good. Check the number.");
  }
  if (sender.isViaCarrier) await acceptIn(deps, tx, account.shard, [prepared]);
  const row = await writeVerifiedNumber(deps, tx, account, phone, code);
  return { row, isSimulated: !sender.isViaCarrier };
}

/** Enforces the daily caps. The refusal rolls back the fraud decision as well. */
async function takeDailySends(
  tx: Tx,
  account: AccountRef,
  phone: string,
  nowMs: number,
): Promise<void> {
  const untilMidnight = (nextDayMs(nowMs) - nowMs) / 1_000;
  if (!(await countDailySend(tx, account, "own_phone_code", nowMs))) {
    throw limited(
      "This account has sent as many codes to its own phones as it may today.",
      untilMidnight,
    );
  }
  if (!(await countVerifiedNumberCode(tx, phone, nowMs))) throw tooMany(phone, untilMidnight);
}

function tooMany(phone: string, seconds: number): Problem {
  return limited(`${phone} has had as many codes as it may.`, seconds);
}

function limited(fact: string, seconds: number): Problem {
  const wait = Math.max(1, Math.ceil(seconds));
  return new Problem("rate_limited", `${fact} Try again in ${counted(wait, "second")}.`, {
    param: "phone_number",
    headers: { "retry-after": String(wait) },
  });
}

function blocked(reason: string): Problem {
  return new Problem(
    "verification_blocked",
    `Fraud protection blocked this code (${reason}). Nothing was sent or charged. GET /v1/verify/decisions shows what it saw.`,
    { param: "phone_number", beside: { charged: false } },
  );
}
