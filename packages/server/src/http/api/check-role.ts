import {
  CONFIRMED_ROUTES,
  Problem,
  ROUTE_ROLES,
  type RouteName,
  roleAllows,
} from "@longwave/contract";
import type { Caller, Principal } from "./caller.ts";

/**
 * Refuses a person whose role is too low for a call, naming the role that suffices. A call that includes the work of
 * another route requires that route's role, too.
 */
export function checkRole(caller: Principal, name: RouteName): void {
  if (caller.kind !== "user") return;
  const needed = ROUTE_ROLES[name];
  if (needed !== "operator" && roleAllows(caller.role, needed)) return;
  throw new Problem(
    "insufficient_role",
    `This needs the role ${needed}; yours is ${caller.role}.`,
    {
      extra: { required_role: needed },
    },
  );
}

/** Refuses a sensitive call unless the person has entered the password recently. */
export function checkConfirmed(caller: Caller, name: RouteName): void {
  if (!CONFIRMED_ROUTES.has(name) || caller.kind === "key") return;
  const person = caller.kind === "user" ? caller : caller.user;
  if (person?.isConfirmed === false) throw confirmationRequired();
}

export function confirmationRequired(): Problem {
  return new Problem("confirmation_required", "Give your password again to do this.");
}
