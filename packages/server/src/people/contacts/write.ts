import { CONSENT_SOURCE_CONTACT } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import { type ConsentChange, type ConsentDeps, openLedgers, writeBoth } from "../consent/index.ts";
import { contactArrays, type StoredContact } from "./array-columns.ts";
import type { ContactRow } from "./contact-row.ts";
import { type ContactState, isSameState, mergeContact } from "./merge.ts";
import { ContactFault, type ContactInput } from "./read-input.ts";
import {
  firstNeighbours,
  hasSameSearchFields,
  indexContacts,
  indexNewContacts,
} from "./search-index.ts";
import {
  deleteContacts,
  insertContacts,
  lockContacts,
  lockSearchRows,
  readByPhones,
  updateContacts,
} from "./sql.ts";

/** Outcome of one row: its contact was created or updated, or a fault left the row out. */
export type RowResult = "created" | "updated" | ContactFault;

/** Input rows of one phone number, in order. */
export interface PhoneRows {
  readonly phone: string;
  readonly rows: { readonly index: number; readonly given: ContactInput }[];
}

/**
 * Creates and updates contacts as if the rows came one after the other, in the caller's transaction.
 * The account's consent lock comes before all contacts, and contacts are locked in the order of their
 * numbers, so that transactions cannot deadlock.
 */
export async function writeContacts(
  deps: ConsentDeps,
  tx: Tx,
  account: ModedAccount,
  given: readonly ContactInput[],
  recordedBy: string,
): Promise<RowResult[]> {
  const results: RowResult[] = new Array(given.length).fill("updated");
  const owner = { shard: account.shard, accountId: account.id };
  const optInPhones = given.filter((row) => row.optIn).map((row) => row.phone);
  const ledgers = optInPhones.length === 0 ? null : await openLedgers(tx, owner, optInPhones);
  const people = byPhone(given);
  const existing = await insertNew(deps, tx, account, people, results);
  await mergeInto(deps, tx, account, existing, results);
  const changes = given.flatMap((row, index) =>
    row.optIn && !(results[index] instanceof ContactFault) ? [consentOf(row, recordedBy)] : [],
  );
  if (ledgers && changes.length > 0) await writeBoth(deps, tx, ledgers, account.mode, changes);
  return results;
}

export function byPhone(given: readonly ContactInput[]): PhoneRows[] {
  const people = new Map<string, PhoneRows>();
  given.forEach((row, index) => {
    const person = people.get(row.phone);
    if (person) person.rows.push({ index, given: row });
    else people.set(row.phone, { phone: row.phone, rows: [{ index, given: row }] });
  });
  return [...people.values()];
}

/** Inserts contacts; returns the rows of contacts that already exist, which are now locked. */
async function insertNew(
  deps: Base,
  tx: Tx,
  account: AccountRef,
  people: readonly PhoneRows[],
  results: RowResult[],
): Promise<PhoneRows[]> {
  const now = deps.clock.now();
  const ids = deps.ids.makeRun(now, people.length);
  const contacts = people.map((person, index) => ({
    ...(mergeRows(null, person, results) as ContactState),
    id: ids[index] as string,
    phone_number: person.phone,
  }));
  const values = [account.shard, account.id, new Date(now), ...contactArrays(contacts)];
  const inserted = await tx.query<{ phone_number: string }>(insertContacts, values);
  const fresh = new Set(inserted.map((row) => row.phone_number));
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
  people: readonly PhoneRows[],
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
    const state = mergeRows(row, person, results);
    if (state !== null && !isSameState(row, state)) changed.push({ row, state });
  }
  await storeContacts(deps, tx, account, changed);
}

/** Merges rows of a number in order; skips a row that would exceed a limit. */
export function mergeRows(
  before: ContactState | null,
  person: PhoneRows,
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

/** Updates contacts that the caller has locked, and their search rows. */
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
  const now = new Date(deps.clock.now());
  await tx.query(updateContacts, [account.shard, account.id, now, ...contactArrays(after)]);
  const ids = changed.flatMap(({ row }, index) =>
    hasSameSearchFields(row, after[index] as StoredContact) ? [] : [row.id],
  );
  await indexContacts(tx, account, ids);
}

/**
 * Locks contacts (UUIDs) that a transaction will change one by one: contacts by number, then their
 * search rows. Imports lock in the same order, so that neither side can deadlock the other.
 */
export function lockForChanges(tx: Tx, account: AccountRef, ids: readonly string[]): void {
  if (ids.length === 0) return;
  const owner = [account.shard, account.id];
  tx.send(lockContacts, [...owner, ids]);
  tx.send(lockSearchRows, [...owner, firstNeighbours(ids)]);
}

/** Deletes contacts that the caller has locked. */
export async function removeContacts(
  tx: Tx,
  account: AccountRef,
  ids: readonly string[],
): Promise<void> {
  await tx.query(deleteContacts, [account.shard, account.id, ids]);
  await indexContacts(tx, account, ids);
}

/** Opt-in evidence of a row, for the consent ledger. Origin `import` never opts anyone back in. */
function consentOf({ phone, optIn }: ContactInput, recordedBy: string): ConsentChange {
  return {
    phoneNumber: phone,
    customerId: null,
    status: optIn?.status === false ? "opted_out" : "opted_in",
    origin: "import",
    source: optIn?.source ?? CONSENT_SOURCE_CONTACT,
    givenAtMs: optIn?.atMs ?? null,
    recordedBy,
    evidence: optIn?.evidence ?? null,
    ...(optIn?.basis === undefined ? {} : { basis: optIn.basis }),
  };
}
