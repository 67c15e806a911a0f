import { isBlank, Problem } from "@longwave/contract";

/** Refuses a name, or other words for people, of which nobody would see anything. */
export function checkShown(text: string | undefined, param: string): void {
  if (text === undefined || !isBlank(text)) return;
  throw new Problem("invalid_request", `${param} must not be blank.`, { param });
}
