import { ERRORS, type ErrorCode } from "@longwave/contract/tables";

/** Title of an error code, from the contract's table. */
export function blockedWords(code: string): string {
  return ERRORS[code as ErrorCode]?.title ?? code;
}
