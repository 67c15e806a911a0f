import type { Base } from "../../core/base.ts";
import { base32 } from "./totp.ts";

const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;

/** Codes for a lost phone or passkey: each works once. */
export function newRecoveryCodes({ random }: Pick<Base, "random">): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    base32(random.bytes(RECOVERY_CODE_BYTES)).toLowerCase(),
  );
}
