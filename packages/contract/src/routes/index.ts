import type { AnswerOf, InputOf, RouteSpec } from "../define.ts";
import { accountRoutes } from "./account.ts";
import { auditLogRoutes } from "./audit-logs.ts";
import { automationRoutes } from "./automations.ts";
import { batchRoutes } from "./batches.ts";
import { consentRoutes } from "./consent.ts";
import { contactRoutes } from "./contacts.ts";
import { conversationRoutes } from "./conversations.ts";
import { customerRoutes } from "./customers.ts";
import { deliverabilityRoutes } from "./deliverability.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./exports.ts";
import { hookRoutes } from "./hooks.ts";
import { importRoutes } from "./imports.ts";
import { lookupRoutes } from "./lookup.ts";
import { messageRoutes } from "./messages.ts";
import { numberRoutes } from "./numbers.ts";
import { operatorAccountDeletionRoutes } from "./operator-account-deletions.ts";
import { operatorAccountRoutes } from "./operator-accounts.ts";
import { operatorCarrierRoutes } from "./operator-carriers.ts";
import { operatorInventoryRoutes } from "./operator-inventory.ts";
import { operatorNumberingRoutes } from "./operator-numbering.ts";
import { operatorNumberRoutes } from "./operator-numbers.ts";
import { operatorPeopleRoutes } from "./operator-people.ts";
import { operatorPriceRoutes } from "./operator-prices.ts";
import { operatorQuietLawRoutes } from "./operator-quiet-laws.ts";
import { operatorRestoreGuardRoutes } from "./operator-restore-guard.ts";
import { operatorTokenRoutes } from "./operator-tokens.ts";
import { operatorVerifyRoutes } from "./operator-verify.ts";
import { personalDataRoutes } from "./personal-data.ts";
import { poolRoutes } from "./pools.ts";
import { portRequestRoutes } from "./port-requests.ts";
import { registrationRoutes } from "./registrations.ts";
import { scheduleRoutes } from "./schedules.ts";
import { segmentRoutes } from "./segments.ts";
import { spendLimitRoutes } from "./spend-limit.ts";
import { testInboundRoutes } from "./test-inbound.ts";
import { topicRoutes } from "./topics.ts";
import { usageRoutes } from "./usage.ts";
import { verifiedNumberRoutes } from "./verified-numbers.ts";
import { verifyRoutes } from "./verify.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Whole API as one table, one line per family. */
export const routes = {
  ...accountRoutes,
  ...numberRoutes,
  ...poolRoutes,
  ...portRequestRoutes,
  ...importRoutes,
  ...customerRoutes,
  ...consentRoutes,
  ...contactRoutes,
  ...segmentRoutes,
  ...topicRoutes,
  ...personalDataRoutes,
  ...lookupRoutes,
  ...messageRoutes,
  ...conversationRoutes,
  ...testInboundRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...hookRoutes,
  ...exportRoutes,
  ...batchRoutes,
  ...scheduleRoutes,
  ...automationRoutes,
  ...verifyRoutes,
  ...registrationRoutes,
  ...spendLimitRoutes,
  ...usageRoutes,
  ...deliverabilityRoutes,
  ...auditLogRoutes,
  ...verifiedNumberRoutes,
  ...operatorVerifyRoutes,
  ...operatorAccountRoutes,
  ...operatorCarrierRoutes,
  ...operatorRestoreGuardRoutes,
  ...operatorInventoryRoutes,
  ...operatorNumberRoutes,
  ...operatorNumberingRoutes,
  ...operatorPeopleRoutes,
  ...operatorAccountDeletionRoutes,
  ...operatorPriceRoutes,
  ...operatorQuietLawRoutes,
  ...operatorTokenRoutes,
};

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export const ROUTE_NAMES = Object.keys(routes) as RouteName[];

/** Routes for the console and the command line alone; the published document leaves them out. */
const CONSOLE_PATHS = "/console/v1/";

/** Routes of the published OpenAPI document and of the SDK. */
export const publishedRoutes: Readonly<Record<string, RouteSpec>> = Object.fromEntries(
  Object.entries<RouteSpec>(routes).filter(([, { path }]) => !path.startsWith(CONSOLE_PATHS)),
);

/** Input and response types of the handler of route `N`. */
export type RouteInput<N extends RouteName> = InputOf<Routes[N]>;
export type RouteAnswer<N extends RouteName> = AnswerOf<Routes[N]>;
