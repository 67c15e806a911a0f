import { makeLink, type NewLink } from "../../../server/src/surfaces/console/links.ts";
import { until } from "../../../server/testing/until.ts";
import { EMAIL, type Stage, testNumber } from "../stage.ts";
import { hostileHook } from "./hostile.ts";

/** Halves of the console, checked by two tests, each after the flows that fill its pages. */
export type Half = "messages and contacts" | "account and operator";

/** A page, and a dialog to open on it. */
export interface PageToCheck {
  readonly path: string;
  /** The button that opens a dialog. */
  readonly opens?: string;
  /** Checked only at widths with a pane beside the list. */
  readonly isWideOnly?: true;
}

export const MESSAGING_PAGES = [
  ["", "phone", "messages", "messages/new", "conversations", "batches", "batches/new"],
  ["scheduled", "scheduled?tab=recurring", "schedules/new", "automations", "automations/new"],
  [
    "contacts",
    "contacts/import",
    "segments",
    "segments/new",
    "topics",
    "consent",
    "consent/import",
  ],
  ["keys", "webhooks", "hooks", "events", "events?tail=1", "requests", "customers"],
].flat();

export const ADMIN_PAGES = [
  ["verify", "verify/decisions", "verify/blocks", "registrations", "registrations/new"],
  ["numbers", "numbers/buy", "pools", "ports", "import", "lookup"],
  ["lookup?phone=%2B15005550007", "deliverability", "audit"],
  ["billing", "members", "settings", "live-access", "personal-data"],
].flat();

const OPERATOR_PAGES = [
  ...["", "/reviews", "/reviews?tab=live-access", "/accounts", "/blocks", "/ports"],
  ...[
    "/carriers",
    "/add-carrier",
    "/carriers/wire",
    "/inventory",
    "/numbering",
    "/system",
    "/audit",
  ],
  ...["/deletions", "/prices", "/lawful-hours"],
].map((path) => `/op${path}`);

const OWN_PAGES = ["/me", "/sign-in", "/reset"];

// biome-ignore format: read as a table
const MESSAGING_DIALOGS: readonly PageToCheck[] = [
  { path: "messages",  opens: "Search" },
  { path: "keys",      opens: "New key" },
  { path: "webhooks",  opens: "Add an endpoint" },
  { path: "hooks",     opens: "New hook" },
  { path: "customers", opens: "New customer" },
  { path: "contacts",  opens: "New contact" },
  { path: "topics",    opens: "New topic" },
  { path: "consent",   opens: "Add consent" },
];

// biome-ignore format: read as a table
const ADMIN_DIALOGS: readonly PageToCheck[] = [
  { path: "numbers/buy", opens: "Buy" },
  { path: "pools",       opens: "New pool" },
  { path: "members",     opens: "Invite" },
  { path: "settings",    opens: "Rename" },
  { path: "settings",    opens: "Add a phone" },
];

// biome-ignore format: read as a table
const OPERATOR_DIALOGS: readonly PageToCheck[] = [
  { path: "/op/accounts",  opens: "New account" },
  { path: "/op/prices",    opens: "Set a price" },
  { path: "/op/lawful-hours", opens: "Set an edition" },
  { path: "/op/ports",     opens: "New port request" },
  { path: "/op/inventory", opens: "Load numbers" },
  { path: "/me",           opens: "Set it up" },
];

type Listed = PromiseLike<{ data: readonly { id: string }[] }>;

/** Page of the first item of a list, if any. */
const first = async (list: Listed, path: string): Promise<PageToCheck[]> =>
  (await list).data.slice(0, 1).map(({ id }) => ({ path: `${path}/${id}` }));

/** Page of the first item, with a dialog open on it. */
const firstWith = async (list: Listed, path: string, opens: string): Promise<PageToCheck[]> =>
  (await first(list, path)).map((page) => ({ ...page, opens }));

/** Page of the first item, in a pane beside its list. */
const firstBeside = async (list: Listed, path: string): Promise<PageToCheck[]> =>
  (await list).data
    .slice(0, 1)
    .map(({ id }) => ({ path: `${path}?sel=${id}`, isWideOnly: true as const }));

/** Pages of single messages and contacts from earlier flows. */
async function messagingObjects(stage: Stage): Promise<PageToCheck[]> {
  const { api } = stage.kit();
  const people = () => api.contacts.list({ q: "hopper", limit: 1 });
  const found = await Promise.all([
    first(api.messages.list({ limit: 1 }), "messages"),
    firstBeside(api.messages.list({ limit: 1 }), "messages"),
    firstBeside(api.events.list({ limit: 1 }), "events"),
    first(api.batches.list({ limit: 1 }), "batches"),
    first(people(), "contacts"),
    firstWith(people(), "contacts", "Edit"),
    firstWith(people(), "contacts", "Delete"),
    first(api.segments.list({ limit: 1 }), "segments"),
    first(api.topics.list({ limit: 1 }), "topics"),
    firstWith(api.topics.list({ limit: 1 }), "topics", "Set subscription"),
    first(api.automations.list({ limit: 1 }), "automations"),
    first(api.schedules.list({ limit: 1 }), "schedules"),
    first(api.customers.list({ limit: 1 }), "customers"),
    first(api.events.list({ limit: 1 }), "events"),
    firstRun(stage),
    refusedRequest(stage),
    failedEndpoint(stage),
    calledHook(stage),
  ]);
  const phone = "+14155550181";
  return [...found.flat(), { path: `conversations/${phone}` }, { path: `consent/${phone}` }];
}

async function firstRun({ kit }: Stage): Promise<PageToCheck[]> {
  const { automations } = kit().api;
  const { data } = await automations.list({ limit: 1 });
  const runs = data.map(({ id }) => first(automations.runs(id, { limit: 1 }), "automations/runs"));
  return (await Promise.all(runs)).flat();
}

/** A refused request, once it is logged. */
async function refusedRequest({ kit }: Stage): Promise<PageToCheck[]> {
  const { body } = await kit().request("GET", "/v1/messages/msg_looked_at");
  await until(async () => {
    const logged = await kit().rows("select 1 from request_log where path like '%msg_looked_at'");
    return logged.length > 0;
  });
  return [{ path: `requests/${body.error.request_id}` }];
}

/** An endpoint with a failed attempt. */
async function failedEndpoint({ kit }: Stage): Promise<PageToCheck[]> {
  const { webhooks } = kit().api;
  const { id } = await webhooks.create({ url: hostileHook.url, events: ["test.ping"] });
  await webhooks.test(id);
  return [{ path: `webhooks/${id}` }, { path: `webhooks/${id}`, opens: "Response" }];
}

/** A hook of a preset with a refused call, and its dialogs. */
async function calledHook(stage: Stage): Promise<PageToCheck[]> {
  const { api, url } = stage.kit();
  const from = await testNumber(stage.kit());
  const hook = await api.hooks.create({ name: "Sign-in codes", from, preset: "supabase" });
  await fetch(`${url}/hooks/${hook.id}`, { method: "POST", body: "{}" });
  const path = `hooks/${hook.id}`;
  return [{ path }, { path, opens: "Test a call" }, { path, opens: "Details" }];
}

/** Pages of single objects between an account and its operator. */
async function adminObjects({ kit }: Stage): Promise<PageToCheck[]> {
  const { api } = kit();
  const [registrations, ports, imports] = await Promise.all([
    first(api.registrations.list({ limit: 1 }), "registrations"),
    first(api.portRequests.list({ limit: 1 }), "ports"),
    kit().request("GET", "/console/v1/imports?limit=1"),
  ]);
  const [pools, numbers] = await Promise.all([
    first(api.pools.list({ limit: 1 }), "pools"),
    kit().rows("select phone_number from numbers where mode = 'test' limit 1"),
  ]);
  const erasures = await first(api.erasures.list({ limit: 1 }), "personal-data");
  const { id: code } = await api.verify.start({ phone: "+15005550000" });
  const tabs = registrations.flatMap(({ path }) => [`${path}?tab=form`, `${path}?tab=copy`]);
  const runs = imports.body.data.map(({ id }: { id: string }) => `import?id=${id}`);
  const others = [`numbers/${numbers[0]?.phone_number}`, `verify/${code}`, ...runs, ...tabs];
  return [...registrations, ...ports, ...pools, ...erasures, ...others.map((path) => ({ path }))];
}

/** Operator pages of single objects. */
async function operatorObjects({ kit }: Stage): Promise<PageToCheck[]> {
  const { operator } = kit().api;
  const found = await Promise.all([
    first(operator.accounts.list({ limit: 1 }), "/op/accounts"),
    first(operator.registrations.list({ limit: 1 }), "/op/reviews"),
    first(operator.portRequests.list({ limit: 1 }), "/op/ports"),
    first(operator.accountDeletions.list({ limit: 1 }), "/op/deletions"),
    firstWith(operator.accounts.list({ limit: 1 }), "/op/accounts", "Delete"),
  ]);
  return found.flat();
}

/** One-time links: sign-up, invitations of a new and of an existing user, password reset. */
async function oneTimeLinks({ kit }: Stage): Promise<PageToCheck[]> {
  const { deps, account, url } = kit();
  const [owner] = await kit().rows("select id from users where email = $1", [EMAIL]);
  const invitation = { kind: "invitation", accountId: account.id, role: "viewer" } as const;
  const links: readonly NewLink[] = [
    { kind: "first", accountId: account.id, role: "owner" },
    { ...invitation, email: "new@example.com" },
    { ...invitation, email: EMAIL },
    { kind: "reset", email: EMAIL, userId: owner.id },
  ];
  return deps.db.tx(async (tx) => {
    const pages: PageToCheck[] = [];
    for (const each of links) {
      const link = await makeLink(deps, tx, each, url);
      pages.push({ path: link.url.slice(url.length) });
    }
    return pages;
  });
}

/** Every page of a half, and every dialog that only shows something. */
export async function pagesToCheck(
  stage: Stage,
  half: Half,
  account: string,
): Promise<PageToCheck[]> {
  const isText = half === "messages and contacts";
  const plain = (paths: readonly string[]) => paths.map((path): PageToCheck => ({ path }));
  const own = isText
    ? [...plain(MESSAGING_PAGES), ...(await messagingObjects(stage)), ...MESSAGING_DIALOGS]
    : [...plain(ADMIN_PAGES), ...(await adminObjects(stage)), ...ADMIN_DIALOGS];
  const pages = own.map((page) => ({ ...page, path: `${account}/${page.path}` }));
  return isText
    ? pages
    : [
        ...pages,
        ...plain([...OPERATOR_PAGES, ...OWN_PAGES]),
        ...(await oneTimeLinks(stage)),
        ...(await operatorObjects(stage)),
        ...OPERATOR_DIALOGS,
      ];
}
