import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { rowsOf, statement } from "../../core/db/driver/statement.ts";
import { NEIGHBOURS } from "../../core/platform/ids.ts";
import { CONTACT_ARRAYS } from "./array-columns.ts";

/** Statements on contacts, their search rows and imports; lists compose theirs in list.ts and selection.ts. */

/** Tags of contact `c` in original case; `tags` is null if all are in lower case. */
const GIVEN_TAGS = "coalesce(c.tags, string_to_array(btrim(c.tag_lines, E'\\n'), E'\\n'))";

export const CONTACT_COLUMNS = `c.id, c.phone_number, c.name, c.email, c.company, ${GIVEN_TAGS} as tags, c.attributes, c.metadata,
  c.opt_in_status, c.opt_in_at, c.opt_in_source, c.created_at, c.updated_at`;

/** Columns that both statements below write, and the source of each. */
const COLUMNS = `name, email, company, tag_lines, tags, attributes, metadata, opt_in_status, opt_in_at, opt_in_source,
  folded_name, folded_email, folded_company, folded_attributes`;
const WRITTEN = `r.name, r.email, r.company, r.tag_lines, r.tags::text[], r.attributes::jsonb, r.metadata::json, r.opt_in_status,
  r.opt_in_at, r.opt_in_source, r.folded_name, r.folded_email, r.folded_company, r.folded_attributes::jsonb`;

const READ_FROM_ROWS = COLUMNS.split(",")
  .map((column) => `r.${column.trim()}`)
  .join(", ");

/** First array parameter; $1 to $3 are shard, account and now. */
const FIRST_COLUMN = 4;
const ROWS = rowsOf(CONTACT_ARRAYS, FIRST_COLUMN, "r");

/**
 * Inserts contacts and locks existing ones (an update with a false condition locks without changing).
 * All transactions lock in the order of phone numbers, so two imports of the same people cannot
 * deadlock. Returns the inserted numbers.
 */
export const insertContacts = statement(
  "insert_contacts",
  `insert into contacts as c (shard, account_id, id, phone_number, created_at, updated_at, ${COLUMNS})
   select $1, $2, r.id, r.phone_number, $3, $3, ${WRITTEN} from ${ROWS} order by r.phone_number
   on conflict (shard, account_id, phone_number) do update set id = c.id where false
   returning c.phone_number`,
);

/** Contacts with these numbers ($3). Callers that write have locked them. */
export const readByPhones = statement(
  "read_contacts_by_phone",
  `select ${CONTACT_COLUMNS} from contacts c
    where c.shard = $1 and c.account_id = $2 and c.phone_number = any($3::text[])`,
);

/** Updates contacts that the caller has locked. */
export const updateContacts = statement(
  "update_contacts",
  `update contacts c
      set phone_number = r.phone_number, updated_at = $3, (${COLUMNS}) = row(${WRITTEN})
     from ${ROWS}
    where c.shard = $1 and c.account_id = $2 and c.id = r.id`,
  {
    // Citus cannot unnest arrays in an UPDATE's own FROM; `offset 0` keeps the subquery apart.
    onCitus: `update contacts c
        set phone_number = r.phone_number, updated_at = $3, (${COLUMNS}) = row(${READ_FROM_ROWS})
       from (select r.id, r.phone_number, ${WRITTEN} from ${ROWS} offset 0) as r (id, phone_number, ${COLUMNS})
      where c.shard = $1 and c.account_id = $2 and c.id = r.id`,
  },
);

export const findContactRow = statement(
  "find_contact",
  `select ${CONTACT_COLUMNS} from contacts c where c.shard = $1 and c.account_id = $2 and c.id = $3`,
);

/** Merge variables of a message to contacts ($3). */
export const readAddressees = statement(
  "read_addressees",
  `select c.id, c.phone_number, c.name, c.email, c.company, c.attributes
     from contacts c where c.shard = $1 and c.account_id = $2 and c.id = any($3::uuid[])`,
);

export const findContactByPhoneRow = statement(
  "find_contact_by_phone",
  `select ${CONTACT_COLUMNS} from contacts c
    where c.shard = $1 and c.account_id = $2 and c.phone_number = $3`,
);

/** Locks contacts by id ($3), in the order of phone numbers, as imports do. */
export const lockContacts = statement(
  "lock_contacts",
  `select ${CONTACT_COLUMNS} from contacts c
    where c.shard = $1 and c.account_id = $2 and c.id = any($3::uuid[])
    order by c.phone_number for update`,
);

/** Deletes contacts that the caller has locked. Consent stays: it is stored by phone number. */
export const deleteContacts = statement(
  "delete_contacts",
  "delete from contacts c where c.shard = $1 and c.account_id = $2 and c.id = any($3::uuid[])",
);

export const findImport = statement(
  "find_contact_import",
  "select id from contact_imports where shard = $1 and account_id = $2 and id = $3",
);

/** Creates an import without rows, for a dry run. */
export const beginImport = statement(
  "begin_contact_import",
  `insert into contact_imports
     (shard, account_id, id, name, requests, created, updated, skipped, opted_out, created_at, updated_at)
   values ($1, $2, $3, $4, 0, 0, 0, 0, 0, $5, $5)`,
);

/** Adds the counts of one request to an import; the first request creates it. */
export const countImport = statement(
  "count_contact_import",
  `insert into contact_imports as i
     (shard, account_id, id, name, requests, created, updated, skipped, opted_out, created_at, updated_at)
   values ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $9)
   on conflict (shard, account_id, id) do update
     set requests = i.requests + 1, created = i.created + excluded.created,
         updated = i.updated + excluded.updated, skipped = i.skipped + excluded.skipped,
         opted_out = i.opted_out + excluded.opted_out, updated_at = excluded.updated_at
   returning i.name`,
);

/** Search rows as arrays; $1 and $2 are the shard and the account. */
const SEARCH_ROWS = "unnest($3::uuid[], $4::text[], $5::text[]) as r (first_id, text, terms)";

export const insertSearchRows = statement(
  "insert_contact_search",
  `insert into contact_search (shard, account_id, first_id, text, terms)
   select $1, $2, r.first_id, r.text, r.terms::int[] from ${SEARCH_ROWS}`,
);

export const lockSearchRows = statement(
  "lock_contact_search",
  `select 1 from contact_search s
    where s.shard = $1 and s.account_id = $2 and s.first_id = any($3::uuid[])
    order by s.first_id for update`,
);

/** The last of the sixteen ids that share a search row. */
const lastNeighbour = (firstId: string) => `overlay(${firstId}::text placing 'f' from 36)::uuid`;

/** Contacts of search rows ($3), in the order of their ids. */
export const readNeighbours = statement(
  "read_neighbours",
  `select c.id, c.phone_number, c.name, c.email, c.company, ${GIVEN_TAGS} as tags
     from unnest($3::uuid[]) as s (first_id)
     cross join lateral (
       select * from contacts c
        where c.shard = $1 and c.account_id = $2
          and c.id between s.first_id and ${lastNeighbour("s.first_id")}
        limit ${NEIGHBOURS}) c
    order by c.id`,
);

export const updateSearchRows = statement(
  "update_contact_search",
  `update contact_search s set text = r.text, terms = r.terms::int[]
     from ${SEARCH_ROWS}
    where s.shard = $1 and s.account_id = $2 and s.first_id = r.first_id`,
  {
    // See updateContacts.
    onCitus: `update contact_search s set text = r.text, terms = r.terms
       from (select first_id, text, terms::int[] as terms from ${SEARCH_ROWS} offset 0) as r
      where s.shard = $1 and s.account_id = $2 and s.first_id = r.first_id`,
  },
);

export const deleteSearchRows = statement(
  "delete_contact_search",
  `delete from contact_search s
    where s.shard = $1 and s.account_id = $2 and s.first_id = any($3::uuid[])`,
);

/** Joins the contacts `c` of search rows `s`. The limit makes PostgreSQL read a primary key range per row. */
export function neighbours(account: AccountRef): Fragment {
  return sql`cross join lateral (
    select * from contacts n
     where n.shard = ${account.shard} and n.account_id = ${account.id}
       and n.id between s.first_id and ${raw(lastNeighbour("s.first_id"))}
     limit ${raw(String(NEIGHBOURS))}) c`;
}

export const findContactNames = statement(
  "find_contact_names",
  `select id, phone_number, name from contacts
    where shard = $1 and account_id = $2 and phone_number = any($3::text[])`,
);
