import type { Role } from "@longwave/contract/tables";
import type { RouteComponent } from "@tanstack/react-router";
import { useHasRole } from "../api/account.tsx";
import { Page } from "./page.tsx";
import { RoleNeeded } from "./role-needed.tsx";

/** A page whose only purpose is an action: readers without the role learn so before they fill it in. */
export function forRole(role: Role, verb: string, what: string, Shown: RouteComponent) {
  return function Guarded() {
    if (useHasRole(role)) return <Shown />;
    return (
      <Page title={`${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what}`}>
        <RoleNeeded needed={role} verb={verb} what={what} />
      </Page>
    );
  };
}
