import { DELIVERABILITY_HOURS_MAX } from "@longwave/contract";
import { asUser } from "./as-user.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";
import { isAnyKeyUsed } from "./sql.ts";

const ONE = { limit: 1 };

/** Setup progress for the account's first page. Each step is computed from stored data. */
export const homeRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/{mode}/home", null, (request, session) => {
    const { deps, exchange, params } = request;
    const { account: id = "" } = params;
    const membership = membershipOf(session, id);
    checkAction(membership, "home.get");
    const { caller, read } = asUser(request, session);
    const { account, mode } = caller;
    // One concurrency slot covers all reads: waiting for a second slot while holding one can deadlock.
    return deps.withinLimit({ limitKind: "heavy" }, exchange, account.id, async () => {
      const [[keys], sent, webhooks, codes, registrations, numbers] = await Promise.all([
        deps.db.query<{ used: boolean }>(isAnyKeyUsed, [account.id]),
        read("messages.list", { query: { ...ONE, direction: "outbound" } }),
        read("webhooks.list", { query: ONE }),
        read("verify.stats", { query: { hours: DELIVERABILITY_HOURS_MAX } }),
        read("registrations.list", { query: ONE }),
        read("numbers.list", { query: { ...ONE, mode } }),
      ]);
      return ok({
        object: "home",
        steps: {
          key_used: keys?.used ?? false,
          text_sent: sent.data.length > 0,
          webhook_added: webhooks.data.length > 0,
          phone_verified: codes.totals.approved > 0,
          registration_made: registrations.data.length > 0,
          live_access: account.live_access === "granted",
        },
        from: numbers.data[0]?.phone_number ?? null,
      });
    });
  }),
];
