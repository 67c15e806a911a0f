import {
  CONSOLE_ROLES,
  foldCase,
  formatTimestamp,
  ID_PREFIXES,
  type IdKind,
  normalizePhone,
  ROUTE_ROLES,
  type RouteName,
  roleAllows,
  SEARCH_CHARS_MAX,
} from "@longwave/contract";
import { type Static, Type } from "typebox";
import { type KeyRow, presentKey } from "../../account/keys/index.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { searchBodies } from "../../messaging/messages/index.ts";
import { type AsUser, asUser, type Found } from "./as-user.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import {
  type ConsoleDeps,
  type OwnRoute,
  ok,
  type SessionRequest,
  signedIn,
} from "./own-routes.ts";
import type { Membership } from "./sessions.ts";
import { listNewestKeys } from "./sql.ts";

const SearchQuery = Type.Object(
  { q: Type.String({ minLength: 1, maxLength: SEARCH_CHARS_MAX }) },
  { additionalProperties: false },
);
const validate = compileSchema(SearchQuery, "query");

const PEOPLE_FOUND_MAX = 5;
const NUMBERS_FOUND_MAX = 3;
const NAMED_READ_MAX = 100;
const NAMED_FOUND_MAX = 3;
const BODIES_FOUND_MAX = 3;
/** Shorter strings are in many texts; a name or an id is meant. */
const BODY_CHARS_MIN = 3;
const EXCERPT_CHARS = 80;
/** Shorter words match nearly everything. */
const WORD_CHARS_MIN = 2;
const PHONE_DIGITS_MIN = 7;

/** One result. The console maps each kind to its page. */
interface Hit {
  readonly kind: IdKind | "number";
  readonly id: string;
  readonly name: string | null;
  /** A number, address or email that distinguishes the result from others of its name. */
  readonly detail: string | null;
  readonly status: string | null;
  readonly created_at: string | null;
}

/** The API route that reads an object of each kind. */
const READ_BY: Partial<Readonly<Record<IdKind, RouteName>>> = {
  message: "messages.get",
  batch: "batches.get",
  verification: "verify.get",
  pool: "pools.get",
  customer: "customers.get",
  webhook_endpoint: "webhooks.get",
  hook: "hooks.get",
  event: "events.get",
  contact: "contacts.get",
  segment: "segments.get",
  topic: "topics.get",
  registration: "registrations.get",
  automation: "automations.get",
  automation_run: "automations.run",
  schedule: "schedules.get",
  port_request: "portRequests.get",
};

/** Kinds that are few and have a name: a search reads the newest of each. */
const NAMED: readonly { kind: IdKind; list: RouteName; isModed?: true }[] = [
  { kind: "batch", list: "batches.list", isModed: true },
  { kind: "segment", list: "segments.list" },
  { kind: "automation", list: "automations.list", isModed: true },
  { kind: "topic", list: "topics.list" },
  { kind: "pool", list: "pools.list" },
  { kind: "registration", list: "registrations.list" },
  { kind: "webhook_endpoint", list: "webhooks.list" },
  { kind: "hook", list: "hooks.list" },
];

/** Finds objects of the account by id, phone in any form, email, name, or words of a text. */
export const searchRoutes: readonly OwnRoute[] = [
  signedIn("GET", "/{account}/{mode}/search", null, (request, session) => {
    const { deps, exchange, params } = request;
    const { account: id = "" } = params;
    const membership = membershipOf(session, id);
    checkAction(membership, "search.get");
    const { q } = parseQuery(exchange.rawQuery, SearchQuery) as Static<typeof SearchQuery>;
    validate({ q });
    const reading = asUser(request, session);
    return deps.withinLimit({ limitKind: "heavy" }, exchange, membership.account.id, async () =>
      ok({ object: "search", data: await search(request, reading, q.trim(), membership) }),
    );
  }),
];

async function search(
  { deps }: SessionRequest<unknown>,
  reading: AsUser,
  text: string,
  membership: Membership,
): Promise<Hit[]> {
  const kind = kindOf(text);
  if (kind === "api_key") return keyHits(deps, membership, (key) => key.id === text);
  if (kind !== null) return byId(reading, kind, text);
  const phone = phoneIn(text);
  if (phone !== null) return byPhone(reading, phone);
  if (text.length < WORD_CHARS_MIN) return [];
  const folded = foldCase(text);
  const [named, keys, bodies] = await Promise.all([
    byWords(reading, text),
    keyHits(deps, membership, (key) => foldCase(`${key.name} ${key.last4}`).includes(folded)),
    bodyHits(deps, reading, text),
  ]);
  return [...named, ...keys, ...bodies];
}

/** Keys of the account, for roles that see its list of keys. */
async function keyHits(
  deps: ConsoleDeps,
  { role, account }: Membership,
  isMatch: (key: ReturnType<typeof presentKey>) => boolean,
): Promise<Hit[]> {
  if (!roleAllows(role, CONSOLE_ROLES["keys.list"])) return [];
  const rows = await deps.db.query<KeyRow>(listNewestKeys, [account.id]);
  const keys = rows.map((row) => presentKey(row, null)).filter(isMatch);
  return keys.slice(0, NAMED_FOUND_MAX).map((key) => ({
    kind: "api_key",
    id: key.id,
    name: key.name,
    detail: `svc_sk_${key.mode}_…${key.last4 ?? "imported"}`,
    status: key.revoked_at === null ? null : "revoked",
    created_at: key.created_at,
  }));
}

/** Texts that contain the words, with the part around them. */
async function bodyHits(deps: ConsoleDeps, { caller }: AsUser, text: string): Promise<Hit[]> {
  if (text.length < BODY_CHARS_MIN || !roleAllows(caller.role, ROUTE_ROLES["messages.list"]))
    return [];
  const found = await searchBodies(deps, caller, text, BODIES_FOUND_MAX);
  return found.map((row) => ({
    kind: "message",
    id: toApiId("message", row.id),
    name: excerptOf(row.body, text),
    detail: row.direction === "inbound" ? row.from_number : row.to_number,
    status: row.status,
    created_at: formatTimestamp(row.created_at),
  }));
}

/** At most 80 characters of a body, from shortly before the words on. */
function excerptOf(body: string, text: string): string {
  const at = foldCase(body).indexOf(foldCase(text));
  const start = at + text.length <= EXCERPT_CHARS ? 0 : at - EXCERPT_CHARS / 4;
  const cut = [...body.slice(start)].slice(0, EXCERPT_CHARS).join("").replaceAll(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${cut}${cut.length + start < body.length ? "…" : ""}`;
}

function kindOf(text: string): IdKind | null {
  const kinds = Object.entries(ID_PREFIXES) as [IdKind, string][];
  return kinds.find(([, prefix]) => text.startsWith(prefix))?.[0] ?? null;
}

function phoneIn(text: string): string | null {
  const digits = text.replaceAll(/\D/g, "");
  return digits.length < PHONE_DIGITS_MIN ? null : normalizePhone(text);
}

async function byId({ read }: AsUser, kind: IdKind, id: string): Promise<Hit[]> {
  const name = READ_BY[kind];
  const found = name === undefined ? null : await read(name, { params: { id } } as never);
  return found === null ? [] : [hitOf(kind, found)];
}

/** Answers "did they get it?": the newest message with the number comes first. */
async function byPhone({ caller, read }: AsUser, phone: string): Promise<Hit[]> {
  const { mode } = caller;
  const [texts, people, own] = await Promise.all([
    read("messages.list", { query: { number: phone, limit: 1 } }),
    read("contacts.list", { query: { phone_number: phone, limit: 1 } }),
    read("numbers.list", { query: { q: phone, mode, limit: 1 } }),
  ]);
  return [...hitsOf("message", texts), ...hitsOf("contact", people), ...hitsOf("number", own)];
}

async function byWords({ caller, read }: AsUser, text: string): Promise<Hit[]> {
  const { mode } = caller;
  const [people, own, customers, ...named] = await Promise.all([
    read("contacts.list", { query: { q: text, limit: PEOPLE_FOUND_MAX } }),
    read("numbers.list", { query: { q: text, mode, limit: NUMBERS_FOUND_MAX } }),
    read("customers.list", { query: { q: text, limit: NAMED_FOUND_MAX } }),
    ...NAMED.map(async ({ kind, list, isModed }) => {
      const query = { limit: NAMED_READ_MAX, ...(isModed ? { mode } : {}) };
      return hitsOf(kind, await read(list, { query } as never));
    }),
  ]);
  const folded = foldCase(text);
  const byName = named.map((hits) =>
    hits.filter((hit) => foldCase(`${hit.name} ${hit.detail}`).includes(folded)),
  );
  return [
    ...hitsOf("contact", people),
    ...hitsOf("number", own),
    ...hitsOf("customer", customers),
    ...byName.flatMap((hits) => hits.slice(0, NAMED_FOUND_MAX)),
  ];
}

function hitsOf(kind: Hit["kind"], page: Found | null): Hit[] {
  return page === null ? [] : page.data.map((found: Found) => hitOf(kind, found));
}

function hitOf(kind: Hit["kind"], found: Found): Hit {
  return {
    kind,
    id: kind === "number" ? found.phone_number : found.id,
    name: found.name ?? found.business_name ?? found.label ?? found.type ?? null,
    detail: detailOf(kind, found),
    status: found.status ?? found.sender?.state ?? null,
    created_at: found.created_at ?? null,
  };
}

function detailOf(kind: Hit["kind"], found: Found): string | null {
  if (kind === "message") return found.direction === "inbound" ? found.from : found.to;
  return found.phone_number ?? found.phone ?? found.url ?? found.website ?? null;
}
