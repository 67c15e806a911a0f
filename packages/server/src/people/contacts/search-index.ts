import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { firstNeighbour } from "../../core/platform/ids.ts";
import type { ContactRow } from "./contact-row.ts";
import { searchedPerson, searchText, termsOf } from "./search-terms.ts";
import {
  deleteSearchRows,
  insertSearchRows,
  lockSearchRows,
  readNeighbours,
  updateSearchRows,
} from "./sql.ts";

/** The searched fields of a contact. */
type Indexed = Pick<ContactRow, "id" | "phone_number" | "name" | "email" | "company" | "tags">;

/** Distinct ids of the search rows of contacts (UUIDs). */
export function firstNeighbours(contactIds: readonly string[]): string[] {
  return [...new Set(contactIds.map(firstNeighbour))];
}

/** Inserts search rows of new contacts. Their ids are new, so no search row exists yet. */
export function indexNewContacts(tx: Tx, account: AccountRef, contacts: readonly Indexed[]): void {
  if (contacts.length === 0) return;
  tx.send(insertSearchRows, [account.shard, account.id, ...searchRows(account, contacts)]);
}

/**
 * Rewrites the search rows of contacts (UUIDs) that were changed or deleted. A row covers sixteen
 * contacts: it is locked first, then built from the contacts as they are now. Search rows are locked
 * after all contacts, in one order, so that transactions cannot deadlock.
 */
export async function indexContacts(
  tx: Tx,
  account: AccountRef,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return;
  const owner = [account.shard, account.id];
  const firstIds = firstNeighbours(contactIds);
  await tx.query(lockSearchRows, [...owner, firstIds]);
  const contacts = await tx.query<Indexed>(readNeighbours, [...owner, firstIds]);
  const filled = new Set(firstNeighbours(contacts.map(({ id }) => id)));
  const empty = firstIds.filter((id) => !filled.has(id));
  if (empty.length > 0) tx.send(deleteSearchRows, [...owner, empty]);
  if (contacts.length > 0) {
    tx.send(updateSearchRows, [...owner, ...searchRows(account, contacts)]);
  }
}

/** Whether a change leaves the search row of a contact unchanged. */
export function hasSameSearchFields(before: Indexed, after: Indexed): boolean {
  return JSON.stringify(searchedPerson(before)) === JSON.stringify(searchedPerson(after));
}

/** Search rows as one array per column: first ids, searched strings, terms. */
function searchRows(account: AccountRef, contacts: readonly Indexed[]): string[][] {
  const together = new Map<string, Indexed[]>();
  for (const contact of contacts) {
    const firstId = firstNeighbour(contact.id);
    const neighbours = together.get(firstId);
    if (neighbours) neighbours.push(contact);
    else together.set(firstId, [contact]);
  }
  const { ofPeople } = termsOf(account.id);
  const people = [...together.values()].map((neighbours) => neighbours.map(searchedPerson));
  return [
    [...together.keys()],
    people.map(searchText),
    people.map((some) => `{${ofPeople(some).join(",")}}`),
  ];
}
