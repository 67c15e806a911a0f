import { Problem, ROUTE_ROLES, type RouteName, roleAllows } from "@longwave/contract";
import type { Principal } from "./caller.ts";

/**
 * Refuses a person whose role is not enough for a call, and says which one is. A call that does what
 * another one is for asks for that one, too.
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
