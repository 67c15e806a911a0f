import { foldCase } from "@longwave/contract";
import type { Base } from "../base.ts";
import {
  type ConsentChange,
  type ConsentDeps,
  openLedger,
  writeChanges,
} from "../consent/index.ts";
import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import type { ContactRow } from "./contact-row.ts";
import { type ContactState, isSameState, mergeContact } from "./merge.ts";
import { ContactFault, type GivenContact } from "./read-input.ts";
import { indexContacts, indexNewContacts, isFoundBySame, lockSearchOf } from "./search-index.ts";
import {
  deleteContacts,
  insertContacts,
  lockContacts,
  readByPhones,
  updateContacts,
} from "./sql.ts";
import { tagLines } from "./tag-lines.ts";
import { type WrittenContact, writtenValues } from "./written-columns.ts";

/** The `source` of evidence that came with a contact and names none of its own. */
const CONSENT_SOURCE_CONTACT = "contact";

/** What became of one row: its contact is new, or was there; or the row was left out, and why. */
export type RowResult = "created" | "updated" | ContactFault;

/** The rows of one number, in order. */
export interface Person {
  readonly phone: string;
  readonly rows: { readonly index: number; readonly given: GivenContact }[];
}

/**
 * Creates and updates contacts as if each row came by itself, one after the other; all of it in the
 * caller's transaction. Consent goes first: whoever needs the account's turn for it takes that
 * before any contact, and contacts are taken in the order of their numbers, so nobody waits in a
 * circle.
 */
export async function writeContacts(
  deps: ConsentDeps,
  tx: Tx,
  account: AccountRef,
  given: readonly GivenContact[],
  recordedBy: string,
): Promise<RowResult[]> {
  const results: RowResult[] = new Array(given.length).fill("updated");
  const owner = { shard: account.shard, accountId: account.id };
  const agreeing = given.filter((row) => row.optIn).map((row) => row.phone);
  const ledger = agreeing.length === 0 ? null : await openLedger(tx, owner, agreeing);
  const people = byPhone(given);
  const there = await insertNew(deps, tx, account, people, results);
  await mergeInto(deps, tx, account, there, results);
  const changes = given.flatMap((row, index) =>
    row.optIn && !(results[index] instanceof ContactFault) ? [consentOf(row, recordedBy)] : [],
  );
  if (ledger && changes.length > 0) await writeChanges(deps, tx, ledger, changes);
  return results;
}

export function byPhone(given: readonly GivenContact[]): Person[] {
  const people = new Map<string, Person>();
  given.forEach((row, index) => {
    const person = people.get(row.phone);
    if (person) person.rows.push({ index, given: row });
    else people.set(row.phone, { phone: row.phone, rows: [{ index, given: row }] });
  });
  return [...people.values()];
}

/** Writes people as if all were new; answers those who turn out to be there, which are locked now. */
async function insertNew(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  people: readonly Person[],
  results: RowResult[],
): Promise<Person[]> {
  const now = deps.clock.now();
  const ids = deps.ids.makeRun(now, people.length);
  const contacts = people.map((person, index) => ({
    ...(fold(null, person, results) as ContactState),
    id: ids[index] as string,
    phone_number: person.phone,
  }));
  const rows = contacts.map(writtenRow);
  const values = [account.shard, account.id, new Date(now), ...writtenValues(rows)];
  const made = await tx.query<{ phone_number: string }>(insertContacts, values);
  const fresh = new Set(made.map((row) => row.phone_number));
  indexNewContacts(
    tx,
    account,
    contacts.filter((contact) => fresh.has(contact.phone_number)),
  );
  for (const { phone, rows } of people) {
    const first = rows[0];
    if (first && fresh.has(phone)) results[first.index] = "created";
  }
  return people.filter(({ phone }) => !fresh.has(phone));
}

async function mergeInto(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  people: readonly Person[],
  results: RowResult[],
): Promise<void> {
  if (people.length === 0) return;
  const phones = people.map((person) => person.phone);
  const found = await tx.query<ContactRow>(readByPhones, [account.shard, account.id, phones]);
  const before = new Map(found.map((row) => [row.phone_number, row]));
  const changed: { row: ContactRow; state: ContactState }[] = [];
  for (const person of people) {
    const row = before.get(person.phone);
    if (!row) throw new Error("A contact that was locked is gone.");
    const state = fold(row, person, results);
    if (state !== null && !isSameState(row, state)) changed.push({ row, state });
  }
  await storeContacts(deps, tx, account, changed);
}

/** Merges the rows of a number in their order; one that does not fit is left out. */
export function fold(
  before: ContactState | null,
  person: Person,
  results: RowResult[],
): ContactState | null {
  let state = before;
  for (const { index, given } of person.rows) {
    try {
      state = mergeContact(state, given);
      results[index] = "updated";
    } catch (error) {
      if (!(error instanceof ContactFault)) throw error;
      results[index] = error;
    }
  }
  return state;
}

/** Writes contacts whose rows the caller has locked; all are changed now. */
export async function storeContacts(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  changed: readonly {
    readonly row: ContactRow;
    readonly state: ContactState;
    readonly phone?: string;
  }[],
): Promise<void> {
  if (changed.length === 0) return;
  const after = changed.map(({ row, state, phone = row.phone_number }) => ({
    ...state,
    id: row.id,
    phone_number: phone,
  }));
  const values = writtenValues(after.map(writtenRow));
  await tx.query(updateContacts, [
    account.shard,
    account.id,
    new Date(deps.clock.now()),
    ...values,
  ]);
  const foundElse = changed.filter(
    ({ row }, index) => !isFoundBySame(row, after[index] as NamedState),
  );
  const ids = foundElse.map(({ row }) => row.id);
  await indexContacts(tx, account, ids);
}

/**
 * Locks contacts (UUIDs) that the transaction is going to change one after the other. All contacts
 * first, in the order of their numbers, then what they are found by: as an import takes them, so
 * that neither waits for the other in a circle.
 */
export function lockForChanges(tx: Tx, account: AccountRef, ids: readonly string[]): void {
  if (ids.length === 0) return;
  tx.send(lockContacts, [account.shard, account.id, ids]);
  lockSearchOf(tx, account, ids);
}

/** Takes contacts away that the caller has locked. */
export async function removeContacts(
  tx: Tx,
  account: AccountRef,
  ids: readonly string[],
): Promise<void> {
  await tx.query(deleteContacts, [account.shard, account.id, ids]);
  await indexContacts(tx, account, ids);
}

type NamedState = ContactState & Pick<ContactRow, "id" | "phone_number">;

/** A contact as the statements take it. */
function writtenRow(contact: NamedState): WrittenContact {
  const { id, phone_number, name, email, company, tags, attributes } = contact;
  const folded = tags.map(foldCase);
  const isFolded = folded.every((tag, index) => tag === tags[index]);
  return {
    id,
    phone_number,
    name,
    email,
    company,
    tag_lines: tagLines(folded),
    tags: isFolded ? null : tags,
    attributes,
    opt_in_status: contact.opt_in_status,
    opt_in_at: contact.opt_in_at,
    opt_in_source: contact.opt_in_source,
    folded_name: foldedOrNull(name),
    folded_email: foldedOrNull(email),
    folded_company: foldedOrNull(company),
    folded_attributes: attributes === null ? null : foldedValues(attributes),
  };
}

/** null where it is the same. */
function foldedOrNull(text: string | null): string | null {
  const folded = text === null ? null : foldCase(text);
  return folded === text ? null : folded;
}

function foldedValues(attributes: Readonly<Record<string, string>>): Record<string, string> | null {
  const entries = Object.entries(attributes);
  const folded = entries.map(([key, value]) => [key, foldCase(value)] as const);
  const isSame = folded.every(([, value], index) => value === entries[index]?.[1]);
  return isSame ? null : Object.fromEntries(folded);
}

/** What a row's evidence says to the ledger: as a list would, so that it opts nobody back in. */
function consentOf({ phone, optIn }: GivenContact, recordedBy: string): ConsentChange {
  return {
    phoneNumber: phone,
    customerId: null,
    status: optIn?.status === false ? "opted_out" : "opted_in",
    origin: "import",
    source: optIn?.source ?? CONSENT_SOURCE_CONTACT,
    givenAtMs: optIn?.atMs ?? null,
    recordedBy,
  };
}
