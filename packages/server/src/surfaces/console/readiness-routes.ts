import { roleMissing } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";

/** Checks of the installation with their details, for operators. */
export const readinessRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/readiness", null, async ({ deps }, session) => {
    if (!session.isOperator) throw roleMissing("operator");
    return ok(await deps.readiness());
  }),
];
