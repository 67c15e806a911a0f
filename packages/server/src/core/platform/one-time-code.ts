import { createHash, timingSafeEqual } from "node:crypto";
import { VERIFY_CODE_DIGITS } from "@longwave/contract";
import type { Secrets } from "./secrets.ts";

/** Placeholder for the code in a stored message body. */
export const CODE_MASK = "*".repeat(VERIFY_CODE_DIGITS);
const PURPOSE = "verification-code";

/**
 * The code of a verification: derived from its id, so that it is stored nowhere. 64 bits modulo a
 * million leave no code likelier than another by more than 10⁻¹³.
 */
export function codeOf(secrets: Secrets, verificationId: string): string {
  const number = secrets.hmac(PURPOSE, verificationId).readBigUInt64BE();
  const codes = 10n ** BigInt(VERIFY_CODE_DIGITS);
  return String(number % codes).padStart(VERIFY_CODE_DIGITS, "0");
}

/** Compares two codes in constant time. */
export function isSameCode(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** The body to submit: the stored one with the code in place of the mask. */
export function unmask(secrets: Secrets, text: string, verificationId: string): string {
  return text.replaceAll(CODE_MASK, codeOf(secrets, verificationId));
}

function digest(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
