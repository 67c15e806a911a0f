import { Problem } from "@longwave/contract";
import type { Principal } from "../api/caller.ts";
import { checkConfirmed } from "../api/check-confirmed.ts";
import { checkRole } from "../api/check-role.ts";
import type { CompiledRoute } from "./entrances.ts";

/** Refusals that depend on the account alone, before it is known whether the path exists. */
export function checkAccount(principal: Principal): void {
  // Whoever runs the installation can look at what they have suspended.
  const isVisit = principal.kind === "user" && principal.isVisit;
  if (principal.account.status === "suspended" && !isVisit) {
    throw new Problem("tenant_suspended", "This account is suspended. Ask the operator why.");
  }
  if (principal.mode === "live" && principal.account.live_access !== "granted") {
    throw new Problem(
      "live_access_required",
      "This live key works once the account has live access. Use a test key until then.",
    );
  }
}

/** Refusals that depend on the route: its scope, then whether it is for live keys only. */
export function checkRoute(principal: Principal, { name, spec }: CompiledRoute): void {
  const { scope } = spec;
  if (scope === "operator") throw new Problem("not_found", "There is nothing here.");
  checkRole(principal, name);
  if (scope === "full_access" && principal.scopes !== null) {
    throw new Problem(
      "insufficient_scope",
      "This call needs a key with full access. Use one that was minted without scopes.",
      { extra: { required_scope: null } },
    );
  }
  if (
    scope !== "any_key" &&
    scope !== "full_access" &&
    principal.scopes !== null &&
    !principal.scopes.has(scope)
  ) {
    throw new Problem("insufficient_scope", `This key lacks the scope ${scope}.`, {
      extra: { required_scope: scope },
    });
  }
  checkConfirmed(principal, name);
  if (spec.liveOnly && principal.mode === "test") {
    throw new Problem("live_access_required", "This call works with a live key only.");
  }
}
