import { Problem, parseTextable } from "@longwave/contract";
import type { Base } from "../base.ts";

/** The number that a text goes to, as it is stored. */
export function textableOf(deps: Base, input: string, param: string): string {
  const parsed = parseTextable(input, { extraRegions: deps.extraRegions });
  if (!parsed.ok) throw new Problem("invalid_request", `${param}: ${parsed.reason}`, { param });
  return parsed.e164;
}
