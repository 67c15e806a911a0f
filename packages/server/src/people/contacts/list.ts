import { type Contact, type FilterNode, foldCase, type RouteInput } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../api/pages.ts";
import { optedOutAmong, phoneOf } from "../consent/index.ts";
import { composed, type Fragment, join, raw, sql } from "../db/sql-builder.ts";
import { firstNeighbour } from "../platform/ids.ts";
import { conditionsOf } from "./choose.ts";
import { type ContactRow, presentContact } from "./contact-row.ts";
import type { ContactHandlersDeps as Deps } from "./deps.ts";
import { foldedText } from "./filter-sql.ts";
import { neighbours } from "./search-sql.ts";
import { searchedParts, type TermMaker, termsOf } from "./search-terms.ts";
import { CONTACT_COLUMNS } from "./sql.ts";

type Query = RouteInput<"contacts.list">["query"];

/**
 * So many of the newest rows of what contacts are found by, up to sixteen contacts each, are looked at
 * one by one before the index of terms is asked. What many contacts match is found among them at
 * once; what is not has so few matches that all of them can be sorted.
 */
const WALKED_ROWS_MAX = 1_000;
/** Before every id. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

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
  const { tag, phone, filter, parts = [] } = narrowed;
  const conditions = contactConditions(account, narrowed);
  if (before !== null) conditions.push(sql`c.id < ${before}::uuid`);
  if (phone !== undefined || (tag === undefined && parts.length === 0)) {
    return deps.db.query<ContactRow>(plainList(conditions, limit, filter !== undefined));
  }
  const makeTerms = termsOf(account.id);
  const tagTerms = tag === undefined ? [] : [makeTerms.ofTag(tag)];
  const search: Search = {
    account,
    conditions,
    before,
    rows: rowConditions(account, parts, tagTerms, before),
    terms: termConditions(makeTerms, tagTerms, parts),
    // Where nothing but a part is asked for, every row that has it has a contact with it; of the
    // first one, that may stand on the page before.
    rowsMax: tag === undefined && filter === undefined ? limit + 1 : null,
    limit,
  };
  const walked = await deps.db.query<WalkedRow>(walkedList(search));
  const found = walked.filter((row): row is FoundRow => row.id !== null);
  if (found.length >= limit || walked[0]?.is_all === true) return found;
  return deps.db.query<ContactRow>(indexedList(search));
}

type FoundRow = ContactRow & { readonly is_all: boolean };
type WalkedRow = FoundRow | { readonly id: null; readonly is_all: boolean };

/** What is looked for, in parts of statements. */
interface Search {
  readonly account: AccountRow;
  /** On contacts `c`. */
  readonly conditions: readonly Fragment[];
  /** The last contact of the page before. */
  readonly before: string | null;
  /** On rows `s` of what contacts are found by. */
  readonly rows: Fragment;
  /** The same by the index of terms, which finds too many. */
  readonly terms: Fragment;
  /** So many of the newest rows are enough for the page; null where that is not known. */
  readonly rowsMax: number | null;
  readonly limit: number;
}

function contactConditions(account: AccountRow, narrowed: Narrowed): Fragment[] {
  const { tag, phone, filter, parts = [] } = narrowed;
  const conditions = conditionsOf(account, {
    ...(filter ? { filter } : {}),
    ...(tag === undefined ? {} : { tags: [tag] }),
  });
  if (phone !== undefined) conditions.push(sql`c.phone_number = ${phone}`);
  if (parts.length > 0) conditions.push(anyOf(parts.map(hasPart)));
  return conditions;
}

/** Whether contact `c` has a part in what it is found by. */
function hasPart(part: string): Fragment {
  const texts = [
    foldedText("name"),
    foldedText("email"),
    foldedText("company"),
    raw("substr(c.phone_number, 2)"),
  ];
  return anyOf(texts.map((text) => sql`strpos(${text}, ${part}) > 0`));
}

function rowConditions(
  account: AccountRow,
  parts: readonly string[],
  tagTerms: readonly number[],
  before: string | null,
): Fragment {
  const conditions = [sql`s.shard = ${account.shard} and s.account_id = ${account.id}`];
  if (before !== null) conditions.push(sql`s.first_id <= ${firstNeighbour(before)}::uuid`);
  if (tagTerms.length > 0) conditions.push(sql`s.terms @> ${tagTerms}::int[]`);
  if (parts.length > 0) {
    conditions.push(anyOf(parts.map((part) => sql`strpos(s.text, ${part}) > 0`)));
  }
  return join(conditions, " and ");
}

function termConditions(
  terms: TermMaker,
  tagTerms: readonly number[],
  parts: readonly string[],
): Fragment {
  const conditions: Fragment[] = [];
  if (tagTerms.length > 0) conditions.push(sql`s.terms @> ${tagTerms}::int[]`);
  const ways = parts.flatMap((part) => terms.ofPart(part));
  if (ways.length > 0) {
    const each = ways.map((way) =>
      way.match === "any"
        ? sql`s.terms && ${way.terms}::int[]`
        : sql`s.terms @> ${way.terms}::int[]`,
    );
    conditions.push(anyOf(each));
  }
  return join(conditions, " and ");
}

function anyOf(conditions: readonly Fragment[]): Fragment {
  return sql`(${join(conditions, " or ")})`;
}

function plainList(conditions: readonly Fragment[], limit: number, isFiltered: boolean) {
  return composed(
    "list_contacts",
    sql`select ${raw(CONTACT_COLUMNS)} from contacts c
         where ${join(conditions, " and ")} order by c.id desc limit ${limit}`,
    isFiltered ? { profile: "scans" } : {},
  );
}

/**
 * Those among the newest that match, and, on every row, whether all were looked at: a row without a
 * contact tells it where none matches.
 */
function walkedList({ account, conditions, rows, before, rowsMax, limit }: Search) {
  const from = before === null ? raw("") : sql`and w.first_id <= ${firstNeighbour(before)}::uuid`;
  return composed(
    "walk_contacts",
    sql`with unseen as materialized (
          select w.first_id from contact_search w
           where w.shard = ${account.shard} and w.account_id = ${account.id} ${from}
           order by w.first_id desc offset ${WALKED_ROWS_MAX} limit 1
        ), s as materialized (
          select s.first_id from contact_search s
           where ${rows} and s.first_id > coalesce((select first_id from unseen), ${NO_ID}::uuid)
           order by s.first_id desc limit ${rowsMax ?? WALKED_ROWS_MAX}
        ), found as (
          select ${raw(CONTACT_COLUMNS)} from s ${neighbours(account)}
           where ${join(conditions, " and ")} order by c.id desc limit ${limit}
        )
        select not exists (select from unseen) as is_all, found.*
          from (select 1) one left join found on true order by found.id desc`,
  );
}

/** Those that the index of terms finds, compared with what is meant, then sorted. */
function indexedList({ account, conditions, rows, terms, rowsMax, limit }: Search) {
  return composed(
    "search_contacts",
    sql`with matching as materialized (
          select s.first_id from contact_search s where ${terms} and ${rows}
        ), s as materialized (
          select first_id from matching order by first_id desc limit ${rowsMax}
        )
        select ${raw(CONTACT_COLUMNS)} from s ${neighbours(account)}
         where ${join(conditions, " and ")} order by c.id desc limit ${limit}`,
    { profile: "scans" },
  );
}
