import { type Contact, type FilterNode, foldCase, type RouteInput } from "@longwave/contract";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { firstNeighbour } from "../../core/platform/ids.ts";
import { accountIn, type ModedAccount, type ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { phoneOf } from "../../http/api/phone-input.ts";
import { optedOutAmong } from "../consent/index.ts";
import { type ContactRow, presentContact } from "./contact-row.ts";
import type { ContactHandlersDeps as Deps } from "./deps.ts";
import { foldedText } from "./filter-sql.ts";
import { searchedParts, termsOf } from "./search-terms.ts";
import { conditionsOf } from "./selection.ts";
import { CONTACT_COLUMNS, neighbours } from "./sql.ts";

type Query = RouteInput<"contacts.list">["query"];

/**
 * Number of newest search rows, of up to sixteen contacts each, that a search walks first. A frequent
 * search string fills its page there. A rarer one has few matches: the term index finds and sorts all.
 */
const WALKED_ROWS_MAX = 1_000;
const SEARCHED_FIELDS = ["name", "email", "company"] as const;
/** Sorts below every id. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** Parsed filters of a list request. `parts`: search strings in lower case, of which one must match. */
interface ListFilters {
  readonly tag: string | undefined;
  readonly phone: string | undefined;
  readonly filter: FilterNode | undefined;
  readonly parts: readonly string[];
}

/** GET /contacts: newest first. */
export async function listContacts(
  deps: Deps,
  caller: ModedCaller,
  query: Query,
): Promise<PageAnswer<Contact>> {
  const account = accountIn(caller);
  const listFilters: ListFilters = {
    tag: query.tag === undefined ? undefined : foldCase(query.tag.trim()),
    phone:
      query.phone_number === undefined ? undefined : phoneOf(query.phone_number, "phone_number"),
    filter:
      query.segment_id === undefined
        ? undefined
        : await deps.segmentFilter(deps.db, account, query.segment_id),
    parts: query.q === undefined ? [] : searchedParts(query.q),
  };
  const { segment_id } = query;
  const scope = {
    list: "contacts.list",
    owner: account.id,
    filters: { ...listFilters, filter: segment_id },
  };
  const page = pageRequest(deps.secrets, scope, query);
  const before = page.after ? String(page.after[0]) : null;
  const rows = await readPage(deps, account, listFilters, before, page.limit + 1);
  const phones = rows.map((row) => row.phone_number);
  const optedOut = await optedOutAmong(deps.db, account, phones, null);
  const present = (row: ContactRow) => presentContact(row, optedOut.has(row.phone_number));
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
}

/** Phone numbers of the newest contacts that match a search as in GET /contacts. */
export async function searchPhones(
  deps: Pick<Deps, "db">,
  account: ModedAccount,
  q: string,
  phonesMax: number,
): Promise<string[]> {
  const filters = { tag: undefined, phone: undefined, filter: undefined, parts: searchedParts(q) };
  const rows = await readPage(deps, account, filters, null, phonesMax);
  return rows.slice(0, phonesMax).map((row) => row.phone_number);
}

async function readPage(
  deps: Pick<Deps, "db">,
  account: ModedAccount,
  listFilters: ListFilters,
  before: string | null,
  limit: number,
): Promise<ContactRow[]> {
  const { tag, phone, filter, parts } = listFilters;
  const conditions = contactConditions(account, listFilters);
  if (before !== null) conditions.push(sql`c.id < ${before}::uuid`);
  if (phone !== undefined || (tag === undefined && parts.length === 0)) {
    return deps.db.query<ContactRow>(plainList(conditions, limit, filter !== undefined));
  }
  const rows = [sql`s.shard = ${account.shard} and s.account_id = ${account.id}`];
  if (before !== null) rows.push(sql`s.first_id <= ${firstNeighbour(before)}::uuid`);
  const owned = join(rows, " and ");
  const terms = termsOf(account.id);
  if (tag !== undefined) rows.push(sql`s.terms @> ${[terms.ofTag(tag)]}::int[]`);
  if (parts.length > 0) rows.push(anyOf(parts.map((part) => sql`strpos(s.text, ${part}) > 0`)));
  const alternatives = parts.flatMap((part) => terms.ofPart(part));
  const search: Search = {
    account,
    contacts: join(conditions, " and "),
    owned,
    rows: join(rows, " and "),
    terms: alternatives.map((term) => sql`s.terms ${raw(term.operator)} ${term.terms}::int[]`),
    // Without tag and filter, every matching row yields a contact, except the first: its contacts may
    // have been on the previous page.
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

/** Search, as parts of statements. */
interface Search {
  readonly account: ModedAccount;
  /** Conditions on contacts `c`. */
  readonly contacts: Fragment;
  /** Conditions on search rows `s`: account and page. */
  readonly owned: Fragment;
  /** Conditions on search rows `s` that may contain a matching contact. */
  readonly rows: Fragment;
  /** Alternative conditions on terms. They match a superset of the search rows. */
  readonly terms: readonly Fragment[];
  /** Number of newest rows that is sure to fill the page; null: unknown. */
  readonly rowsMax: number | null;
  readonly limit: number;
}

function contactConditions(
  account: ModedAccount,
  { tag, phone, filter, parts }: ListFilters,
): Fragment[] {
  const conditions = conditionsOf(account, {
    ...(filter ? { filter } : {}),
    ...(tag === undefined ? {} : { tags: [tag] }),
  });
  if (phone !== undefined) conditions.push(sql`c.phone_number = ${phone}`);
  if (parts.length > 0) conditions.push(anyOf(parts.map(hasPart)));
  return conditions;
}

/** Condition: a searched field of contact `c` contains a search string. */
function hasPart(part: string): Fragment {
  const texts = [...SEARCHED_FIELDS.map(foldedText), raw("substr(c.phone_number, 2)")];
  return anyOf(texts.map((text) => sql`strpos(${text}, ${part}) > 0`));
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
 * Matches among the newest search rows. `is_all`: the walk reached the oldest row. Without a match, the
 * result is one row of nulls with `is_all`.
 */
function walkedList({ account, contacts, owned, rows, rowsMax, limit }: Search) {
  return composed(
    "walk_contacts",
    sql`with unseen as materialized (
          select s.first_id from contact_search s
           where ${owned} order by s.first_id desc offset ${WALKED_ROWS_MAX} limit 1
        ), s as materialized (
          select s.first_id from contact_search s
           where ${rows} and s.first_id > coalesce((select first_id from unseen), ${NO_ID}::uuid)
           order by s.first_id desc limit ${rowsMax ?? WALKED_ROWS_MAX}
        ), found as (
          select ${raw(CONTACT_COLUMNS)} from s ${neighbours(account)}
           where ${contacts} order by c.id desc limit ${limit}
        )
        select not exists (select from unseen) as is_all, found.*
          from (select 1) dual left join found on true order by found.id desc`,
  );
}

/** All matches by the term index. */
function indexedList({ account, contacts, rows, terms, rowsMax, limit }: Search) {
  const indexed = terms.length === 0 ? rows : sql`${anyOf(terms)} and ${rows}`;
  return composed(
    "search_contacts",
    sql`with matching as materialized (
          select s.first_id from contact_search s where ${indexed}
        ), s as materialized (
          select first_id from matching order by first_id desc limit ${rowsMax}
        )
        select ${raw(CONTACT_COLUMNS)} from s ${neighbours(account)}
         where ${contacts} order by c.id desc limit ${limit}`,
    { profile: "scans" },
  );
}
