import {
  Problem,
  type RouteInput,
  VERIFY_CODE_INPUT_DIGITS_MAX,
  VERIFY_CODE_INPUT_DIGITS_MIN,
  type VerificationCheck,
} from "@longwave/contract";
import type { Principal } from "../../../account/accounts/index.ts";
import type { Context } from "../../../http/api/handler.ts";
import { parseRecipient } from "../../../http/api/parse-fields.ts";
import { AlreadyClaimed } from "../../../http/idempotency/index.ts";
import type { VerifyDeps } from "../deps.ts";

const CODE = new RegExp(`^[0-9]{${VERIFY_CODE_INPUT_DIGITS_MIN},${VERIFY_CODE_INPUT_DIGITS_MAX}}$`);

type CheckInput = RouteInput<"verify.check">["body"];

/** Validates the fields that need no database read. */
export function readCheck(deps: VerifyDeps, input: CheckInput): { phone: string; code: string } {
  const phone = parseRecipient(deps, input.phone, "phone");
  const code = input.code.replaceAll(/[ -]/g, "");
  if (CODE.test(code)) return { phone, code };
  throw new Problem(
    "invalid_request",
    `code must be ${VERIFY_CODE_INPUT_DIGITS_MIN} to ${VERIFY_CODE_INPUT_DIGITS_MAX} digits.`,
    { param: "code" },
  );
}

/** POST /verify/check. */
export async function checkVerification(
  context: Context<Principal, VerifyDeps>,
  input: CheckInput,
): Promise<{ status: 200; body: VerificationCheck }> {
  const { deps, caller, serialize } = context;
  const { phone, code } = readCheck(deps, input);
  const { account, mode } = caller;
  const { claim } = context;
  const result = await deps.verifications.checks.add({
    account,
    mode,
    phone,
    code,
    claim,
    serialize,
  });
  if (result === "duplicate") throw new AlreadyClaimed();
  if (result === null) {
    throw new Problem(
      "not_found",
      `There is no active verification of ${phone}. Start one with POST /v1/verify.`,
    );
  }
  return { status: 200, body: result };
}
