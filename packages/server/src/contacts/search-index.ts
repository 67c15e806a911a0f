import type { AccountRef } from "../db/account-cache.ts";
import type { Tx } from "../db/database.ts";
import { firstNeighbour } from "../platform/ids.ts";
import type { ContactRow } from "./contact-row.ts";
import {
  deleteSearchRows,
  insertSearchRows,
  lockSearchRows,
  readNeighbours,
  updateSearchRows,
} from "./search-sql.ts";
import { searchedPerson, searchText, type TermMaker, termsOf } from "./search-terms.ts";

/** What of a contact it is found by. */
type Indexed = Pick<ContactRow, "id" | "phone_number" | "name" | "email" | "company" | "tags">;

/** Makes contacts that were written just now findable; nobody else can have their neighbours yet. */
export function indexNewContacts(tx: Tx, account: AccountRef, contacts: readonly Indexed[]): void {
  if (contacts.length === 0) return;
  tx.send(insertSearchRows, [account.shard, account.id, ...searchValues(account, contacts)]);
}

/**
 * Brings what is known of contacts (UUIDs) and their neighbours up to date, after they changed or
 * went. Whoever changes one of sixteen neighbours waits here for whoever changed another: rows are
 * locked after all contacts, in one order, and contacts are read when they are locked.
 */
export async function indexContacts(
  tx: Tx,
  account: AccountRef,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return;
  const owner = [account.shard, account.id];
  const firstIds = [...new Set(contactIds.map(firstNeighbour))];
  await tx.query(lockSearchRows, [...owner, firstIds]);
  const contacts = await tx.query<Indexed>(readNeighbours, [...owner, firstIds]);
  const filled = new Set(contacts.map(({ id }) => firstNeighbour(id)));
  const empty = firstIds.filter((id) => !filled.has(id));
  if (empty.length > 0) tx.send(deleteSearchRows, [...owner, empty]);
  if (contacts.length > 0) {
    tx.send(updateSearchRows, [...owner, ...searchValues(account, contacts)]);
  }
}

/** Locks what contacts (UUIDs) are found by, in the order everybody locks it in. */
export function lockSearchOf(tx: Tx, account: AccountRef, contactIds: readonly string[]): void {
  const firstIds = [...new Set(contactIds.map(firstNeighbour))];
  tx.send(lockSearchRows, [account.shard, account.id, firstIds]);
}

/** Whether a contact is found by the same as before. */
export function isFoundBySame(before: Omit<Indexed, "id">, after: Omit<Indexed, "id">): boolean {
  return (
    before.name === after.name &&
    before.email === after.email &&
    before.company === after.company &&
    before.phone_number === after.phone_number &&
    before.tags.join("\n") === after.tags.join("\n")
  );
}

/** Rows as the statements take them: an array each of first ids, texts and lists of terms. */
function searchValues(account: AccountRef, contacts: readonly Indexed[]): string[][] {
  const together = new Map<string, Indexed[]>();
  for (const contact of contacts) {
    const firstId = firstNeighbour(contact.id);
    const neighbours = together.get(firstId);
    if (neighbours) neighbours.push(contact);
    else together.set(firstId, [contact]);
  }
  const terms = termsOf(account.id);
  const rows = [...together].map(([firstId, neighbours]) => searchRow(terms, firstId, neighbours));
  return [
    rows.map((row) => row.firstId),
    rows.map((row) => row.text),
    rows.map((row) => row.terms),
  ];
}

function searchRow(terms: TermMaker, firstId: string, neighbours: readonly Indexed[]) {
  const people = neighbours.map(searchedPerson);
  return { firstId, text: searchText(people), terms: `{${terms.ofPeople(people).join(",")}}` };
}
