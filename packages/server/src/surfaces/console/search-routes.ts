import {
  foldCase,
  ID_PREFIXES,
  type IdKind,
  normalizePhone,
  type RouteName,
  SEARCH_CHARS_MAX,
} from "@longwave/contract";
import { type Static, Type } from "typebox";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import { type AsUser, asUser, type Found } from "./as-user.ts";
import { checkAction, membershipOf } from "./mounts.ts";
import { type OwnRoute, ok, signedIn } from "./own-routes.ts";

const SearchQuery = Type.Object(
  { q: Type.String({ minLength: 1, maxLength: SEARCH_CHARS_MAX }) },
  { additionalProperties: false },
);
const validate = compileSchema(SearchQuery, "query");

const PEOPLE_FOUND_MAX = 5;
const NUMBERS_FOUND_MAX = 3;
const NAMED_READ_MAX = 100;
const NAMED_FOUND_MAX = 3;
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
  { kind: "customer", list: "customers.list" },
  { kind: "batch", list: "batches.list", isModed: true },
  { kind: "segment", list: "segments.list" },
  { kind: "automation", list: "automations.list", isModed: true },
  { kind: "topic", list: "topics.list" },
  { kind: "pool", list: "pools.list" },
  { kind: "registration", list: "registrations.list" },
  { kind: "webhook_endpoint", list: "webhooks.list" },
];

/** Finds objects of the account by id, phone in any form, email or name. */
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
      ok({ object: "search", data: await search(reading, q.trim()) }),
    );
  }),
];

async function search(reading: AsUser, text: string): Promise<Hit[]> {
  const kind = kindOf(text);
  if (kind !== null) return byId(reading, kind, text);
  const phone = phoneIn(text);
  if (phone !== null) return byPhone(reading, phone);
  return text.length < WORD_CHARS_MIN ? [] : byWords(reading, text);
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
  const [people, own, ...named] = await Promise.all([
    read("contacts.list", { query: { q: text, limit: PEOPLE_FOUND_MAX } }),
    read("numbers.list", { query: { q: text, mode, limit: NUMBERS_FOUND_MAX } }),
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
