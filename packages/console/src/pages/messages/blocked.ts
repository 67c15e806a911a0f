import { ERRORS, type ErrorCode } from "@longwave/contract/tables";
import { plainWords } from "../../ui/plain-words.ts";

/** Title of an error code, from the contract's table. */
export function blockedWords(code: string): string {
  return plainWords(ERRORS[code as ErrorCode]?.title ?? code);
}
