import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from "@tanstack/react-router";
import { loadPage } from "./load-page.ts";
import { AccountLayout } from "./shell/account-layout.tsx";
import { NotFound, PageError, Root } from "./shell/root.tsx";
import { forRole } from "./ui/for-role.tsx";
import { parseSearch, stringifySearch } from "./ui/search-params.ts";

const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

type Load<K extends string> = () => Promise<Record<K, RouteComponent>>;

/** A page whose code loads when it is first opened. */
function page<K extends string>(load: Load<K>, name: K): RouteComponent {
  return lazyRouteComponent(() => loadPage(load) as never, name as never) as RouteComponent;
}

// biome-ignore format: one page per line, read as a table
const ACCOUNT_PAGES: readonly (readonly [path: string, component: RouteComponent])[] = [
  ["/",                       page(() => import("./pages/home/home-page.tsx"), "HomePage")],
  ["/phone",                  page(() => import("./pages/phone/phone-page.tsx"), "PhonePage")],
  ["/messages",               page(() => import("./pages/messages/list-page.tsx"), "MessagesPage")],
  ["/messages/new",           forRole("member", "send", "a message", page(() => import("./pages/messages/compose-page.tsx"), "ComposePage"))],
  ["/messages/$id",           page(() => import("./pages/messages/message-page.tsx"), "MessagePage")],
  ["/conversations",          page(() => import("./pages/conversations/list-page.tsx"), "ConversationsPage")],
  ["/conversations/$phone",   page(() => import("./pages/conversations/thread-page.tsx"), "ThreadPage")],
  ["/batches",                page(() => import("./pages/batches/list-page.tsx"), "BatchesPage")],
  ["/batches/new",            forRole("member", "create", "a batch", page(() => import("./pages/batches/new-page.tsx"), "NewBatchPage"))],
  ["/batches/$id",            page(() => import("./pages/batches/batch-page.tsx"), "BatchPage")],
  ["/scheduled",              page(() => import("./pages/scheduled/scheduled-page.tsx"), "ScheduledPage")],
  ["/schedules/new",          forRole("member", "create", "a schedule", page(() => import("./pages/schedules/schedule-page.tsx"), "NewSchedulePage"))],
  ["/schedules/$id",          page(() => import("./pages/schedules/schedule-page.tsx"), "SchedulePage")],
  ["/automations",            page(() => import("./pages/automations/list-page.tsx"), "AutomationsPage")],
  ["/automations/new",        forRole("member", "create", "an automation", page(() => import("./pages/automations/automation-page.tsx"), "NewAutomationPage"))],
  ["/automations/$id",        page(() => import("./pages/automations/automation-page.tsx"), "AutomationPage")],
  ["/automations/runs/$id",   page(() => import("./pages/automations/run-page.tsx"), "AutomationRunPage")],
  ["/contacts",               page(() => import("./pages/contacts/list-page.tsx"), "ContactsPage")],
  ["/contacts/import",        forRole("member", "import", "contacts", page(() => import("./pages/contacts/import-page.tsx"), "ContactImportPage"))],
  ["/contacts/$id",           page(() => import("./pages/contacts/contact-page.tsx"), "ContactPage")],
  ["/segments",               page(() => import("./pages/segments/segments-page.tsx"), "SegmentsPage")],
  ["/segments/new",           forRole("member", "create", "a segment", page(() => import("./pages/segments/segment-page.tsx"), "NewSegmentPage"))],
  ["/segments/$id",           page(() => import("./pages/segments/segment-page.tsx"), "SegmentPage")],
  ["/topics",                 page(() => import("./pages/topics/topics-page.tsx"), "TopicsPage")],
  ["/topics/$id",             page(() => import("./pages/topics/topic-page.tsx"), "TopicPage")],
  ["/registrations",          page(() => import("./pages/registrations/list-page.tsx"), "RegistrationsPage")],
  ["/registrations/new",      forRole("member", "create", "a registration", page(() => import("./pages/registrations/new-page.tsx"), "NewRegistrationPage"))],
  ["/registrations/$id",      page(() => import("./pages/registrations/registration-page.tsx"), "RegistrationPage")],
  ["/verify",                 page(() => import("./pages/verify/verify-page.tsx"), "VerifyPage")],
  ["/verify/decisions",       page(() => import("./pages/verify/decisions-page.tsx"), "DecisionsPage")],
  ["/verify/blocks",          page(() => import("./pages/verify/blocks-page.tsx"), "AccountBlocksPage")],
  ["/verify/$id",             page(() => import("./pages/verify/verification-page.tsx"), "VerificationPage")],
  ["/numbers",                page(() => import("./pages/numbers/list-page.tsx"), "NumbersPage")],
  ["/numbers/buy",            forRole("admin", "buy", "numbers", page(() => import("./pages/numbers/buy-page.tsx"), "BuyPage"))],
  ["/numbers/$number",        page(() => import("./pages/numbers/number-page.tsx"), "NumberPage")],
  ["/pools",                  page(() => import("./pages/pools/pools-page.tsx"), "PoolsPage")],
  ["/pools/$id",              page(() => import("./pages/pools/pool-page.tsx"), "PoolPage")],
  ["/ports",                  page(() => import("./pages/ports/ports-page.tsx"), "PortsPage")],
  ["/ports/$id",              page(() => import("./pages/ports/port-page.tsx"), "PortPage")],
  ["/import",                 page(() => import("./pages/imports/import-page.tsx"), "ImportPage")],
  ["/customers",              page(() => import("./pages/customers/customers-page.tsx"), "CustomersPage")],
  ["/customers/$id",          page(() => import("./pages/customers/customer-page.tsx"), "CustomerPage")],
  ["/consent",                page(() => import("./pages/consent/list-page.tsx"), "ConsentPage")],
  ["/consent/import",         forRole("member", "import", "consent", page(() => import("./pages/consent/import-page.tsx"), "ConsentImportPage"))],
  ["/consent/$phone",         page(() => import("./pages/consent/phone-page.tsx"), "ConsentPhonePage")],
  ["/personal-data",          forRole("admin", "see", "personal data", page(() => import("./pages/personal-data/personal-data-page.tsx"), "PersonalDataPage"))],
  ["/personal-data/$id",      forRole("admin", "see", "personal data", page(() => import("./pages/personal-data/erasure-page.tsx"), "ErasurePage"))],
  ["/deliverability",         page(() => import("./pages/deliverability/deliverability-page.tsx"), "DeliverabilityPage")],
  ["/lookup",                 page(() => import("./pages/lookup/lookup-page.tsx"), "LookupPage")],
  ["/webhooks",               page(() => import("./pages/webhooks/webhooks-page.tsx"), "WebhooksPage")],
  ["/webhooks/$id",           page(() => import("./pages/webhooks/webhook-page.tsx"), "WebhookPage")],
  ["/hooks",                  page(() => import("./pages/hooks/hooks-page.tsx"), "HooksPage")],
  ["/hooks/$id",              page(() => import("./pages/hooks/hook-page.tsx"), "HookPage")],
  ["/events",                 page(() => import("./pages/events/events-page.tsx"), "EventsPage")],
  ["/events/$id",             page(() => import("./pages/events/event-page.tsx"), "EventPage")],
  ["/requests",               page(() => import("./pages/requests/requests-page.tsx"), "RequestsPage")],
  ["/requests/$id",           page(() => import("./pages/requests/request-page.tsx"), "RequestPage")],
  ["/audit",                  page(() => import("./pages/audit/audit-page.tsx"), "AuditPage")],
  ["/billing",                page(() => import("./pages/billing/billing-page.tsx"), "BillingPage")],
  ["/keys",                   page(() => import("./pages/keys/keys-page.tsx"), "KeysPage")],
  ["/members",                page(() => import("./pages/members/members-page.tsx"), "MembersPage")],
  ["/settings",               page(() => import("./pages/settings/settings-page.tsx"), "SettingsPage")],
  ["/live-access",            page(() => import("./pages/settings/live-access-page.tsx"), "LiveAccessPage")],
];

// biome-ignore format: one page per line, read as a table
const OPERATOR_PAGES: readonly (readonly [path: string, component: RouteComponent])[] = [
  ["/",                       page(() => import("./pages/operator/overview-page.tsx"), "OperatorOverviewPage")],
  ["/reviews",                page(() => import("./pages/operator/reviews-page.tsx"), "ReviewsPage")],
  ["/reviews/$id",            page(() => import("./pages/operator/review-page.tsx"), "ReviewPage")],
  ["/ports",                  page(() => import("./pages/operator/ports-page.tsx"), "OperatorPortsPage")],
  ["/ports/$id",              page(() => import("./pages/operator/port-page.tsx"), "OperatorPortPage")],
  ["/blocks",                 page(() => import("./pages/operator/blocks-page.tsx"), "BlocksPage")],
  ["/system",                 page(() => import("./pages/operator/system-page.tsx"), "SystemPage")],
  ["/audit",                  page(() => import("./pages/operator/audit-page.tsx"), "OperatorAuditPage")],
  ["/accounts",               page(() => import("./pages/operator/accounts-page.tsx"), "OperatorAccountsPage")],
  ["/accounts/$id",           page(() => import("./pages/operator/account-page.tsx"), "OperatorAccountPage")],
  ["/deletions",              page(() => import("./pages/operator/deletions-page.tsx"), "DeletionsPage")],
  ["/deletions/$id",          page(() => import("./pages/operator/deletions-page.tsx"), "DeletionPage")],
  ["/prices",                 page(() => import("./pages/operator/prices-page.tsx"), "PricesPage")],
  ["/lawful-hours",           page(() => import("./pages/operator/lawful-hours-page.tsx"), "LawfulHoursPage")],
  ["/carriers",               page(() => import("./pages/operator/carriers-page.tsx"), "CarriersPage")],
  ["/add-carrier",            page(() => import("./pages/carriers/add-carrier-page.tsx"), "AddCarrierPage")],
  ["/carriers/$name",         page(() => import("./pages/carriers/carrier-page.tsx"), "CarrierPage")],
  ["/inventory",              page(() => import("./pages/operator/inventory-page.tsx"), "InventoryPage")],
  ["/numbering",              page(() => import("./pages/operator/numbering-page.tsx"), "NumberingPage")],
];

// biome-ignore format: one page per line, read as a table
const OWN_PAGES: readonly (readonly [path: string, component: RouteComponent])[] = [
  ["/",                       page(() => import("./pages/session/entry-page.tsx"), "EntryPage")],
  ["/sign-in",                page(() => import("./pages/session/sign-in-page.tsx"), "SignInPage")],
  ["/first",                  page(() => import("./pages/session/link-page.tsx"), "LinkPage")],
  ["/join",                   page(() => import("./pages/session/link-page.tsx"), "LinkPage")],
  ["/reset",                  page(() => import("./pages/session/link-page.tsx"), "ResetPage")],
  ["/me",                     page(() => import("./pages/session/me-page.tsx"), "MePage")],
];

const account = createRoute({
  getParentRoute: () => root,
  path: "/$account/$mode",
  component: AccountLayout,
});

const operator = createRoute({
  getParentRoute: () => root,
  path: "/op",
  component: page(() => import("./pages/operator/layout.tsx"), "OperatorLayout"),
});

const tree = root.addChildren([
  ...OWN_PAGES.map(([path, component]) =>
    createRoute({ getParentRoute: () => root, path, component }),
  ),
  account.addChildren(
    ACCOUNT_PAGES.map(([path, component]) =>
      createRoute({ getParentRoute: () => account, path, component }),
    ),
  ),
  operator.addChildren(
    OPERATOR_PAGES.map(([path, component]) =>
      createRoute({ getParentRoute: () => operator, path, component }),
    ),
  ),
]);

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});
