import {
  Problem,
  type RouteInput,
  VERIFY_CODE_INPUT_DIGITS_MAX,
  VERIFY_CODE_INPUT_DIGITS_MIN,
  type VerificationCheck,
} from "@longwave/contract";
import type { Principal } from "../../accounts/index.ts";
import type { Context } from "../../api/handler.ts";
import { textableOf } from "../../handover/index.ts";
import { AlreadyClaimed } from "../../idempotency/index.ts";
import type { VerifyDeps } from "../deps.ts";

const CODE = new RegExp(`^[0-9]{${VERIFY_CODE_INPUT_DIGITS_MIN},${VERIFY_CODE_INPUT_DIGITS_MAX}}$`);

/** POST /verify/check. */
export async function checkVerification(
  context: Context<Principal, VerifyDeps>,
  input: RouteInput<"verify.check">["body"],
): Promise<{ status: 200; body: VerificationCheck }> {
  const { deps, caller, serialize } = context;
  const phone = textableOf(deps, input.phone, "phone");
  const code = input.code.replaceAll(/[ -]/g, "");
  if (!CODE.test(code)) {
    throw new Problem(
      "invalid_request",
      `code must be ${VERIFY_CODE_INPUT_DIGITS_MIN} to ${VERIFY_CODE_INPUT_DIGITS_MAX} digits.`,
      { param: "code" },
    );
  }
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
