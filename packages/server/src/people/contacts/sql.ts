import { rowsOf, statement } from "../db/statement.ts";
import { GIVEN_TAGS } from "./tag-lines.ts";
import { WRITTEN_COLUMNS } from "./written-columns.ts";

/** Every statement on contacts, what they are found by, and imports. */

export const CONTACT_COLUMNS = `c.id, c.phone_number, c.name, c.email, c.company, ${GIVEN_TAGS} as tags, c.attributes,
  c.opt_in_status, c.opt_in_at, c.opt_in_source, c.created_at, c.updated_at`;

/** What both statements below write: columns, and where each comes from. */
const COLUMNS = `name, email, company, tag_lines, tags, attributes, opt_in_status, opt_in_at, opt_in_source,
  folded_name, folded_email, folded_company, folded_attributes`;
const WRITTEN = `r.name, r.email, r.company, r.tag_lines, r.tags::text[], r.attributes::jsonb, r.opt_in_status,
  r.opt_in_at, r.opt_in_source, r.folded_name, r.folded_email, r.folded_company, r.folded_attributes::jsonb`;

const READ_FROM_ROWS = COLUMNS.split(",")
  .map((column) => `r.${column.trim()}`)
  .join(", ");

/** The rows of a group; $1 to $3 are the shard, the account and now. */
const FIRST_COLUMN = 4;
const ROWS = rowsOf(WRITTEN_COLUMNS, FIRST_COLUMN, "r");

/**
 * Writes contacts whose numbers no contact has, and locks those that are there (an update whose
 * condition is false locks and changes nothing). Numbers are taken in one order by everybody, so two
 * imports of the same people wait for each other and never in a circle. Answers the numbers that are
 * new.
 */
export const insertContacts = statement(
  "insert_contacts",
  `insert into contacts as c (shard, account_id, id, phone_number, created_at, updated_at, ${COLUMNS})
   select $1, $2, r.id, r.phone_number, $3, $3, ${WRITTEN} from ${ROWS} order by r.phone_number
   on conflict (shard, account_id, phone_number) do update set id = c.id where false
   returning c.phone_number`,
);

/** Those of these numbers ($3) that are contacts. The caller has locked them, or only looks. */
export const readByPhones = statement(
  "read_contacts_by_phone",
  `select ${CONTACT_COLUMNS} from contacts c
    where c.shard = $1 and c.account_id = $2 and c.phone_number = any($3::text[])`,
);

/** Writes contacts that are locked. */
export const updateContacts = statement(
  "update_contacts",
  `update contacts c
      set phone_number = r.phone_number, updated_at = $3, (${COLUMNS}) = row(${WRITTEN})
     from ${ROWS}
    where c.shard = $1 and c.account_id = $2 and c.id = r.id`,
  {
    // Arrays are read in a subquery of its own, which the offset keeps: Citus reads none in what it updates.
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

/** What a text to contacts ($3) is filled with. */
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

/** Locks contacts by their ids ($3), in the order in which imports take them. */
export const lockContacts = statement(
  "lock_contacts",
  `select ${CONTACT_COLUMNS} from contacts c
    where c.shard = $1 and c.account_id = $2 and c.id = any($3::uuid[])
    order by c.phone_number for update`,
);

/** Deletes contacts that are locked. What they consented to is kept elsewhere, by number. */
export const deleteContacts = statement(
  "delete_contacts",
  "delete from contacts c where c.shard = $1 and c.account_id = $2 and c.id = any($3::uuid[])",
);

export const findImport = statement(
  "find_contact_import",
  "select id from contact_imports where shard = $1 and account_id = $2 and id = $3",
);

/** Adds one request to an import, which begins with its first. */
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
