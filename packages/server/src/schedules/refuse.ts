import { Problem } from "@longwave/contract";

export function refuse(param: string, message: string): Problem {
  return new Problem("invalid_request", message, { param });
}
