import { type Contact, type FilterNode, foldCase, type RouteInput } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../api/pages.ts";
import { optedOutAmong, phoneOf } from "../consent/index.ts";
import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import { conditionsOf } from "./choose.ts";
import { type ContactRow, presentContact } from "./contact-row.ts";
import type { ContactHandlersDeps as Deps } from "./deps.ts";
import { searchedParts, type TermMaker, termsOf } from "./search-terms.ts";
import { CONTACT_COLUMNS } from "./sql.ts";

type Query = RouteInput<"contacts.list">["query"];

/**
 * So many of the newest contacts are looked at one by one before the index of terms is asked. What
 * many contacts match is found among them at once; what is not has so few matches that all of them
 * can be sorted.
 */
const WALKED_CONTACTS_MAX = 4_000;

/** What a list is narrowed by. */
interface Narrowed {
  readonly tag: string | undefined;
  readonly phone: string | undefined;
  readonly filter: FilterNode | undefined;
  readonly parts: readonly string[] | undefined;
}

/** GET /contacts: newest first. */
export async function listContacts(
  deps: Deps,
  account: AccountRow,
  query: Query,
): Promise<PageAnswer<Contact>> {
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const scope = { list: "contacts.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const narrowed: Narrowed = {
    tag: query.tag === undefined ? undefined : foldCase(query.tag.trim()),
    phone:
      query.phone_number === undefined ? undefined : phoneOf(query.phone_number, "phone_number"),
    filter:
      query.segment_id === undefined
        ? undefined
        : await deps.segmentFilter(deps.db, account, query.segment_id),
    parts: query.q === undefined ? undefined : searchedParts(query.q),
  };
  const before = page.after ? String(page.after[0]) : null;
  const rows = await readPage(deps, account, narrowed, before, page.limit + 1);
  const phones = rows.map((row) => row.phone_number);
  const optedOut = await optedOutAmong(deps.db, account, phones, null);
  const present = (row: ContactRow) => presentContact(row, optedOut.has(row.phone_number));
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
}

async function readPage(
  deps: Deps,
  account: AccountRow,
  narrowed: Narrowed,
  before: string | null,
  limit: number,
): Promise<ContactRow[]> {
  const { tag, phone, parts } = narrowed;
  const isSearched = parts !== undefined && parts.length > 0;
  const conditions = contactConditions(account, narrowed);
  if (before !== null) conditions.push(sql`c.id < ${before}::uuid`);
  if (phone !== undefined || (tag === undefined && !isSearched)) {
    return deps.db.query<ContactRow>(plainList(conditions, parts ?? [], limit));
  }
  const makeTerms = termsOf(account.id);
  const tagTerms = tag === undefined ? [] : [makeTerms.ofTag(tag)];
  const walked = await deps.db.query<{ walked: number; id: string | null }>(
    walkedList(account, conditions, parts ?? [], tagTerms, before, limit),
  );
  const seen = walked[0]?.walked ?? 0;
  const found = walked.filter((row) => row.id !== null) as unknown as ContactRow[];
  if (found.length >= limit || seen < WALKED_CONTACTS_MAX) return found;
  const terms = termConditions(makeTerms, tagTerms, parts ?? []);
  return deps.db.query<ContactRow>(
    indexedList(account, conditions, parts ?? [], terms, before, limit),
  );
}

function contactConditions(account: AccountRow, { tag, phone, filter }: Narrowed): Fragment[] {
  const conditions = conditionsOf(account, {
    ...(filter ? { filter } : {}),
    ...(tag === undefined ? {} : { tags: [tag] }),
  });
  if (phone !== undefined) conditions.push(sql`c.phone_number = ${phone}`);
  return conditions;
}

const JOIN_SEARCH = raw(
  "join contact_search s on s.shard = c.shard and s.account_id = c.account_id and s.contact_id = c.id",
);

function plainList(conditions: readonly Fragment[], parts: readonly string[], limit: number) {
  const search = parts.length === 0 ? raw("") : JOIN_SEARCH;
  const all = parts.length === 0 ? conditions : [...conditions, textCondition(parts)];
  return composed(
    "list_contacts",
    sql`select ${raw(CONTACT_COLUMNS)} from contacts c ${search}
         where ${join(all, " and ")} order by c.id desc limit ${limit}`,
  );
}

/**
 * Those among the newest that match, and, on every row, how many were looked at: a row without a
 * contact tells it where none matches.
 */
function walkedList(
  account: AccountRow,
  conditions: readonly Fragment[],
  parts: readonly string[],
  tagTerms: readonly number[],
  before: string | null,
  limit: number,
) {
  const from = before === null ? raw("") : sql`and w.contact_id < ${before}::uuid`;
  const matching = parts.length === 0 ? raw("true") : textCondition(parts);
  return composed(
    "walk_contacts",
    sql`with newest as materialized (
          select w.contact_id, w.text, w.terms from contact_search w
           where w.shard = ${account.shard} and w.account_id = ${account.id} ${from}
           order by w.contact_id desc limit ${WALKED_CONTACTS_MAX}
        ), found as (
          select ${raw(CONTACT_COLUMNS)} from newest s
            join lateral (select * from contacts c where ${join(conditions, " and ")}
                             and c.id = s.contact_id limit 1) c on true
           where s.terms @> ${tagTerms}::int[] and ${matching} order by s.contact_id desc limit ${limit}
        )
        select (select count(*)::int from newest) as walked, found.*
          from (select 1) one left join found on true order by found.id desc`,
  );
}

/** Those that the index of terms finds, compared with what is meant, then sorted. */
function indexedList(
  account: AccountRow,
  conditions: readonly Fragment[],
  parts: readonly string[],
  terms: Fragment,
  before: string | null,
  limit: number,
) {
  const matching = parts.length === 0 ? raw("true") : textCondition(parts);
  const from = before === null ? raw("") : sql`and s.contact_id < ${before}::uuid`;
  return composed(
    "search_contacts",
    sql`with found as materialized (
          select s.contact_id from contact_search s
           where ${terms} and s.shard = ${account.shard} and s.account_id = ${account.id}
             and ${matching} ${from}
        )
        select ${raw(CONTACT_COLUMNS)} from found
          join lateral (select * from contacts c where ${join(conditions, " and ")}
                           and c.id = found.contact_id limit 1) c on true
         order by found.contact_id desc limit ${limit}`,
  );
}

function textCondition(parts: readonly string[]): Fragment {
  return sql`(${join(
    parts.map((part) => sql`strpos(s.text, ${part}) > 0`),
    " or ",
  )})`;
}

function termConditions(
  terms: TermMaker,
  tagTerms: readonly number[],
  parts: readonly string[],
): Fragment {
  const conditions: Fragment[] = [];
  if (tagTerms.length > 0) conditions.push(sql`s.terms @> ${tagTerms}::int[]`);
  if (parts.length > 0) {
    const each = parts.map((part) =>
      part.length === 1
        ? sql`s.terms && ${terms.ofLetter(part)}::int[]`
        : sql`s.terms @> ${terms.ofPart(part)}::int[]`,
    );
    conditions.push(sql`(${join(each, " or ")})`);
  }
  return join(conditions, " and ");
}
