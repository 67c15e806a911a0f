import { CONFIRMED_ROUTES, Problem, type RouteName } from "@longwave/contract";
import type { Caller } from "./caller.ts";

/** Refuses what takes more than an open session to a person who has not given the password lately. */
export function checkConfirmed(caller: Caller, name: RouteName): void {
  if (!CONFIRMED_ROUTES.has(name) || caller.kind === "key") return;
  const person = caller.kind === "user" ? caller : caller.user;
  if (person?.isConfirmed === false) throw confirmationRequired();
}

export function confirmationRequired(): Problem {
  return new Problem("confirmation_required", "Give your password again to do this.");
}
