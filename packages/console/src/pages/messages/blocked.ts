import { ERRORS, type ErrorCode } from "@longwave/contract/tables";

/** An error code in the words of the contract's table. */
export function blockedWords(code: string): string {
  return ERRORS[code as ErrorCode]?.title ?? code;
}
