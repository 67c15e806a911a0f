import { ID_PREFIXES, type IdKind, normalizePhone } from "@longwave/contract/tables";
import type { SearchHit } from "../api/session-types.ts";
import { formatPhone } from "../ui/format.ts";
import type { IconName } from "../ui/icons.tsx";
import { destinations, type NavGroup } from "./navigation.ts";

export interface PaletteItem {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Done in place, instead of opening a page. */
  readonly command?: Command;
}

export type Command = "theme" | "sign-out";

/** Kinds of search hits that have a page, with its path. */
const ID_PAGES: Partial<Readonly<Record<SearchHit["kind"], (id: string) => string>>> = {
  number: (id) => `numbers/${id}`,
  message: (id) => `messages/${id}`,
  batch: (id) => `batches/${id}`,
  verification: (id) => `verify/${id}`,
  pool: (id) => `pools/${id}`,
  customer: (id) => `customers/${id}`,
  webhook_endpoint: (id) => `webhooks/${id}`,
  hook: (id) => `hooks/${id}`,
  event: (id) => `events/${id}`,
  contact: (id) => `contacts/${id}`,
  segment: (id) => `segments/${id}`,
  topic: (id) => `topics/${id}`,
  registration: (id) => `registrations/${id}`,
  automation: (id) => `automations/${id}`,
  automation_run: (id) => `automations/runs/${id}`,
  schedule: (id) => `schedules/${id}`,
  port_request: (id) => `ports/${id}`,
  api_key: () => "keys",
};

/** Kinds of objects with a page of the operator's own. */
const OPERATOR_ID_PAGES: Partial<Readonly<Record<IdKind, (id: string) => string>>> = {
  account: (id) => `accounts/${id}`,
  registration: (id) => `reviews/${id}`,
  port_request: (id) => `ports/${id}`,
};

/** The operator's pages have no contacts, messages or requests, and no actions of an account. */
const isOfAccount = (base: string) => base.startsWith("/acct_");

// biome-ignore format: one action per line, read as a table
const ACTIONS: readonly { label: string; path: string; icon: IconName; words: string }[] = [
  { label: "Send a text",       path: "messages/new", icon: "send",    words: "compose new message sms" },
  { label: "New batch",         path: "batches/new",  icon: "batch",   words: "upload csv campaign" },
  { label: "Buy a number",      path: "numbers/buy",  icon: "plus",    words: "purchase search" },
  { label: "Add a webhook",     path: "webhooks",     icon: "webhook", words: "endpoint create" },
  { label: "New hook",          path: "hooks",        icon: "link",    words: "integration program supabase grafana create" },
  { label: "Try a verification", path: "verify",      icon: "shield",  words: "code otp" },
  { label: "Import contacts",   path: "contacts/import", icon: "upload", words: "csv people" },
  { label: "New segment",       path: "segments/new", icon: "filter",  words: "audience create" },
  { label: "New automation",    path: "automations/new", icon: "flow", words: "flow create" },
  { label: "New registration",  path: "registrations/new", icon: "stamp", words: "10dlc brand campaign" },
  { label: "Invite a member",   path: "members",      icon: "user",    words: "team colleague add" },
  { label: "New API key",       path: "keys",         icon: "key",     words: "mint create secret" },
];

// biome-ignore format: one command per line, read as a table
const COMMANDS: readonly { label: string; command: Command; icon: IconName; words: string }[] = [
  { label: "Switch theme",  command: "theme",    icon: "moon",   words: "dark light mode appearance" },
  { label: "Sign out",      command: "sign-out", icon: "logout", words: "log out leave session" },
];

const RESULTS_MAX = 12;
/** Recent pages shown before anything is typed. */
const RECENT_SHOWN = 4;

/** Results without a server call: pages, actions, ids, phone numbers. */
export function paletteItems(
  text: string,
  base: string,
  groups: readonly NavGroup[],
  accounts: readonly { readonly id: string; readonly name: string }[] = [],
  recent: readonly { readonly path: string; readonly label: string }[] = [],
): readonly PaletteItem[] {
  const query = text.trim();
  const isMail = /^\S+@\S+$/.test(query);
  const found = [...byId(query, base), ...byRequest(query, base), ...byPhone(query, base)];
  if (isMail) found.push(...byName(query, base));
  found.push(...byWords(query, base, groups, accounts, recent));
  if (!isMail && found.length < RESULTS_MAX) found.push(...byName(query, base));
  return found.slice(0, RESULTS_MAX);
}

/** Recent pages, actions, pages and accounts whose labels contain all words. */
function byWords(
  query: string,
  base: string,
  groups: readonly NavGroup[],
  accounts: readonly { readonly id: string; readonly name: string }[],
  recent: readonly { readonly path: string; readonly label: string }[],
): PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (...parts: (string | undefined)[]) => {
    const whole = parts.join(" ").toLowerCase();
    return words.every((word) => whole.includes(word));
  };
  return [
    ...recent
      .slice(0, query === "" ? RECENT_SHOWN : RESULTS_MAX)
      .filter(({ label }) => matches(label))
      .map(({ path, label }) => itemOf(`recent:${path}`, label, "clock", "Recent", path)),
    ...(isOfAccount(base) ? ACTIONS : [])
      .filter((action) => matches(action.label, action.words))
      .map(({ label, icon, path }) =>
        itemOf(`do:${label}`, label, icon, "Action", `${base}/${path}`),
      ),
    ...COMMANDS.filter(({ label, words }) => query !== "" && matches(label, words)).map(
      ({ label, icon, command }) => ({
        ...itemOf(`do:${label}`, label, icon, "Action", ""),
        command,
      }),
    ),
    ...destinations(groups)
      .filter((page) => matches(page.label, page.words))
      .map(({ path, label, icon, go }) =>
        itemOf(`go:${path}`, label, icon, go ? `g ${go}` : "Page", `${base}/${path}`),
      ),
    ...accounts
      .filter(({ name }) => query !== "" && matches(name, "account switch"))
      .map(({ id, name }) => itemOf(id, name, "building", "Account", `/${id}/test/`)),
  ];
}

function itemOf(key: string, label: string, icon: IconName, hint: string, to: string): PaletteItem {
  return { key, label, icon, hint, to };
}

const HIT_ICONS: Partial<Readonly<Record<SearchHit["kind"], IconName>>> = {
  message: "message",
  contact: "users",
  number: "hash",
  customer: "building",
  batch: "batch",
  segment: "filter",
  topic: "tag",
  automation: "flow",
  registration: "stamp",
  pool: "pool",
  webhook_endpoint: "webhook",
  hook: "link",
  api_key: "key",
};

/**
 * Merges the server's hits. A hit replaces the local item of the same path, because it has details.
 */
export function withHits(
  items: readonly PaletteItem[],
  hits: readonly SearchHit[],
  base: string,
): readonly PaletteItem[] {
  const found = hits.flatMap((hit) => hitItem(hit, base) ?? []);
  const merged = items.map((item) => found.find(({ key }) => key === item.key) ?? item);
  const keys = new Set(merged.map(({ key }) => key));
  return [...merged, ...found.filter(({ key }) => !keys.has(key))];
}

function hitItem(hit: SearchHit, base: string): PaletteItem | null {
  const page = ID_PAGES[hit.kind];
  if (!page) return null;
  const detail = hit.detail === null ? null : formatPhone(hit.detail);
  const status = hit.status === null ? null : hit.status.replaceAll("_", " ");
  const parts =
    hit.kind === "message"
      ? [hit.name ?? `Newest text with ${detail}`, hit.name === null ? null : detail, status]
      : [hit.name ?? detail ?? hit.id, hit.name === null ? null : detail, status];
  return {
    key: hit.id,
    label: parts.filter((part) => part !== null).join(" · "),
    icon: HIT_ICONS[hit.kind] ?? "out",
    hint: sentence(hit.kind.replaceAll("_", " ")),
    to: `${base}/${page(hit.id)}`,
  };
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function byId(query: string, base: string): PaletteItem[] {
  const kinds = Object.entries(ID_PREFIXES) as [IdKind, string][];
  return kinds.flatMap(([kind, prefix]) => {
    const page = isOfAccount(base) ? ID_PAGES[kind as SearchHit["kind"]] : OPERATOR_ID_PAGES[kind];
    if (!page || !query.startsWith(prefix) || query.length < prefix.length + 20) return [];
    const label = `Open ${kind.replaceAll("_", " ")} ${query}`;
    return [
      { key: query, label, icon: "out" as const, hint: "By id", to: `${base}/${page(query)}` },
    ];
  });
}

/** A request id, from a header or an error, opens its line of the log. */
function byRequest(query: string, base: string): PaletteItem[] {
  if (!isOfAccount(base) || !/^req_\w{20,}$/.test(query)) return [];
  const to = `${base}/requests`;
  const label = `Open request ${query}`;
  return [{ key: query, label, icon: "list", hint: "By id", to, search: { request_id: query } }];
}

/** A name or an email may be a contact's; for the operator, a name may be an account's. */
function byName(query: string, base: string): PaletteItem[] {
  const isName = /\p{L}{2}/u.test(query) && !/^[a-z]+_/.test(query);
  if (!isName) return [];
  if (!isOfAccount(base)) {
    const label = `Accounts that match “${query}”`;
    const search = { q: query };
    return [
      {
        key: "accounts",
        label,
        icon: "building",
        hint: "Accounts",
        to: `${base}/accounts`,
        search,
      },
    ];
  }
  const label = `Contacts that match “${query}”`;
  const to = `${base}/contacts`;
  return [{ key: "people", label, icon: "users", hint: "Contacts", to, search: { q: query } }];
}

function byPhone(query: string, base: string): PaletteItem[] {
  const phone = /\d{7}/.test(query.replaceAll(/\D/g, "")) ? normalizePhone(query) : null;
  if (phone === null) return [];
  const name = formatPhone(phone);
  if (!isOfAccount(base)) {
    const search = { phone_number: phone };
    const label = `Port requests of ${name}`;
    return [{ key: "p5", label, icon: "inbox", hint: "Phone", to: `${base}/ports`, search }];
  }
  return [
    {
      key: "p1",
      label: `Conversation with ${name}`,
      icon: "chats",
      hint: "Phone",
      to: `${base}/conversations/${phone}`,
    },
    {
      key: "p2",
      label: `Messages to or from ${name}`,
      icon: "message",
      hint: "Phone",
      to: `${base}/messages`,
      search: { number: phone },
    },
    {
      key: "p4",
      label: `Contact with ${name}`,
      icon: "users",
      hint: "Phone",
      to: `${base}/contacts`,
      search: { phone_number: phone },
    },
    {
      key: "p3",
      label: `Consent of ${name}`,
      icon: "consent",
      hint: "Phone",
      to: `${base}/consent/${phone}`,
    },
  ];
}
