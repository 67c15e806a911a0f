import { makeLink, type NewLink } from "../../../server/src/console/links.ts";
import { until } from "../../../server/testing/until.ts";
import { EMAIL, type Stage } from "../stage.ts";
import { hostileHook } from "./hostile.ts";

/** The console in two halves, which can be looked at by two tests, each after the flows that fill its pages. */
export type Half = "texts and people" | "account and operator";

/** A page, and what is opened on it. */
export interface Place {
  readonly path: string;
  /** The button that opens a dialog. */
  readonly opens?: string;
  /** What it shows only beside another: from this width on. */
  readonly isWideOnly?: true;
}

const TEXT_PAGES = [
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
  ["keys", "webhooks", "events", "events?tail=1", "requests", "customers"],
].flat();

const TRUST_PAGES = [
  ["verify", "verify/decisions", "verify/blocks", "registrations", "registrations/new"],
  ["numbers", "numbers/buy", "pools", "ports", "import", "lookup"],
  ["lookup?phone=%2B15005550007", "deliverability", "audit"],
  ["billing", "members", "settings", "live-access"],
].flat();

const OPERATOR_PAGES = [
  ...["", "/reviews", "/reviews?tab=live-access", "/accounts", "/blocks", "/ports"],
  ...["/carriers", "/inventory", "/numbering", "/system", "/audit"],
].map((path) => `/op${path}`);

const OWN_PAGES = ["/me", "/sign-in", "/reset"];

// biome-ignore format: read as a table
const TEXT_DIALOGS: readonly Place[] = [
  { path: "messages",  opens: "Search" },
  { path: "keys",      opens: "New key" },
  { path: "webhooks",  opens: "Add an endpoint" },
  { path: "customers", opens: "New customer" },
  { path: "contacts",  opens: "New contact" },
  { path: "topics",    opens: "New topic" },
  { path: "consent",   opens: "Record" },
];

// biome-ignore format: read as a table
const TRUST_DIALOGS: readonly Place[] = [
  { path: "numbers/buy", opens: "Buy" },
  { path: "pools",       opens: "New pool" },
  { path: "members",     opens: "Invite" },
  { path: "settings",    opens: "Rename" },
  { path: "settings",    opens: "Add a phone" },
];

// biome-ignore format: read as a table
const OPERATOR_DIALOGS: readonly Place[] = [
  { path: "/op/accounts",  opens: "New account" },
  { path: "/op/ports",     opens: "New port request" },
  { path: "/op/inventory", opens: "Load numbers" },
  { path: "/me",           opens: "Set it up" },
];

type Listed = PromiseLike<{ data: readonly { id: string }[] }>;

/** The page of the first one that there is. */
const first = async (list: Listed, path: string): Promise<Place[]> =>
  (await list).data.slice(0, 1).map(({ id }) => ({ path: `${path}/${id}` }));

/** The same, with a dialog open on it. */
const firstWith = async (list: Listed, path: string, opens: string): Promise<Place[]> =>
  (await first(list, path)).map((place) => ({ ...place, opens }));

/** The same beside its list. */
const firstBeside = async (list: Listed, path: string): Promise<Place[]> =>
  (await list).data
    .slice(0, 1)
    .map(({ id }) => ({ path: `${path}?sel=${id}`, isWideOnly: true as const }));

/** Pages of single texts and people, named by what the flows before have made. */
async function textThings(stage: Stage): Promise<Place[]> {
  const { api } = stage.kit();
  const people = () => api.contacts.list({ q: "hopper", limit: 1 });
  const found = await Promise.all([
    first(api.messages.list({ limit: 1 }), "messages"),
    firstBeside(api.messages.list({ limit: 1 }), "messages"),
    firstBeside(api.events.list({ limit: 1 }), "events"),
    first(api.batches.list({ limit: 1 }), "batches"),
    first(people(), "contacts"),
    firstWith(people(), "contacts", "Change"),
    firstWith(people(), "contacts", "Delete"),
    first(api.segments.list({ limit: 1 }), "segments"),
    first(api.topics.list({ limit: 1 }), "topics"),
    firstWith(api.topics.list({ limit: 1 }), "topics", "Record a choice"),
    first(api.automations.list({ limit: 1 }), "automations"),
    first(api.schedules.list({ limit: 1 }), "schedules"),
    first(api.customers.list({ limit: 1 }), "customers"),
    first(api.events.list({ limit: 1 }), "events"),
    firstRun(stage),
    aCall(stage),
    anEndpoint(stage),
  ]);
  const phone = "+14155550181";
  return [...found.flat(), { path: `conversations/${phone}` }, { path: `consent/${phone}` }];
}

async function firstRun({ kit }: Stage): Promise<Place[]> {
  const { automations } = kit().api;
  const { data } = await automations.list({ limit: 1 });
  const runs = data.map(({ id }) => first(automations.runs(id, { limit: 1 }), "automations/runs"));
  return (await Promise.all(runs)).flat();
}

/** A refused call, once it is in the log. */
async function aCall({ kit }: Stage): Promise<Place[]> {
  const { body } = await kit().request("GET", "/v1/messages/msg_looked_at");
  await until(async () => {
    const logged = await kit().rows("select 1 from request_log where path like '%msg_looked_at'");
    return logged.length > 0;
  });
  return [{ path: `requests/${body.error.request_id}` }];
}

/** An endpoint with an attempt that failed. */
async function anEndpoint({ kit }: Stage): Promise<Place[]> {
  const { webhooks } = kit().api;
  const { id } = await webhooks.create({ url: hostileHook.url, events: ["test.ping"] });
  await webhooks.test(id);
  return [{ path: `webhooks/${id}` }, { path: `webhooks/${id}`, opens: "Reply" }];
}

/** The same of what an account has to do with its operator. */
async function trustThings({ kit }: Stage): Promise<Place[]> {
  const { api } = kit();
  const [registrations, ports, imports] = await Promise.all([
    first(api.registrations.list({ limit: 1 }), "registrations"),
    first(api.portRequests.list({ limit: 1 }), "ports"),
    api.imports.list({ limit: 1 }),
  ]);
  const [pools, numbers] = await Promise.all([
    first(api.pools.list({ limit: 1 }), "pools"),
    kit().rows("select phone_number from numbers where mode = 'test' limit 1"),
  ]);
  const { id: code } = await api.verify.start({ phone: "+15005550000" });
  const tabs = registrations.flatMap(({ path }) => [`${path}?tab=form`, `${path}?tab=copy`]);
  const runs = imports.data.map(({ id }) => `import?id=${id}`);
  const others = [`numbers/${numbers[0]?.phone_number}`, `verify/${code}`, ...runs, ...tabs];
  return [...registrations, ...ports, ...pools, ...others.map((path) => ({ path }))];
}

/** Pages of the operator about one thing. */
async function operatorThings({ kit }: Stage): Promise<Place[]> {
  const { operator } = kit().api;
  const found = await Promise.all([
    first(operator.accounts.list({ limit: 1 }), "/op/accounts"),
    first(operator.registrations.list({ limit: 1 }), "/op/reviews"),
    first(operator.portRequests.list({ limit: 1 }), "/op/ports"),
  ]);
  return found.flat();
}

/** Where links lead that work once: the first person's, those of somebody new and of somebody who is known, a reset. */
async function doors({ kit }: Stage): Promise<Place[]> {
  const { deps, account, url } = kit();
  const [owner] = await kit().rows("select id from users where email = $1", [EMAIL]);
  const invitation = { kind: "invitation", accountId: account.id, role: "viewer" } as const;
  const wanted: readonly NewLink[] = [
    { kind: "first", accountId: account.id, role: "owner" },
    { ...invitation, email: "new@example.com" },
    { ...invitation, email: EMAIL },
    { kind: "reset", email: EMAIL, userId: owner.id },
  ];
  return deps.db.tx(async (tx) => {
    const places: Place[] = [];
    for (const each of wanted) {
      const link = await makeLink(deps, tx, each, url);
      places.push({ path: link.url.slice(url.length) });
    }
    return places;
  });
}

/** Every page of a half, and every dialog that only shows something. */
export async function placesOf(stage: Stage, half: Half, account: string): Promise<Place[]> {
  const isText = half === "texts and people";
  const plain = (paths: readonly string[]) => paths.map((path): Place => ({ path }));
  const own = isText
    ? [...plain(TEXT_PAGES), ...(await textThings(stage)), ...TEXT_DIALOGS]
    : [...plain(TRUST_PAGES), ...(await trustThings(stage)), ...TRUST_DIALOGS];
  const places = own.map((place) => ({ ...place, path: `${account}/${place.path}` }));
  return isText
    ? places
    : [
        ...places,
        ...plain([...OPERATOR_PAGES, ...OWN_PAGES]),
        ...(await doors(stage)),
        ...(await operatorThings(stage)),
        ...OPERATOR_DIALOGS,
      ];
}
