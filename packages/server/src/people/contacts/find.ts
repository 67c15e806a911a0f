import { Problem } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import { optedOutAmong } from "../consent/index.ts";
import { type Addressee, type ContactRow, presentContact } from "./contact-row.ts";
import {
  findContactByPhoneRow,
  findContactNames,
  findContactRow,
  lockContacts,
  readAddressees,
} from "./sql.ts";

/** The contact with this API id, or null. */
export async function findContact(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<ContactRow | null> {
  const id = fromApiId("contact", apiId);
  return id === null ? null : readContactById(db, account, id);
}

/** The contact with this UUID, or null. */
export async function readContactById(
  db: Queryable,
  account: AccountRef,
  id: string,
): Promise<ContactRow | null> {
  const [row] = await db.query<ContactRow>(findContactRow, [account.shard, account.id, id]);
  return row ?? null;
}

/** Existing contacts among these UUIDs, in no order. */
export function readAddresseesById(
  db: Queryable,
  account: AccountRef,
  ids: readonly string[],
): Promise<Addressee[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db.query<Addressee>(readAddressees, [account.shard, account.id, ids]);
}

/** The contact with this number (E.164), or null. */
export async function findContactByPhone(
  db: Queryable,
  account: AccountRef,
  phone: string,
): Promise<ContactRow | null> {
  const values = [account.shard, account.id, phone];
  const [row] = await db.query<ContactRow>(findContactByPhoneRow, values);
  return row ?? null;
}

export interface ContactName {
  readonly id: string;
  readonly phone_number: string;
  readonly name: string | null;
}

/** Contacts among these phone numbers, in no order. */
export function readContactNames(
  db: Queryable,
  account: AccountRef,
  phones: readonly string[],
): Promise<ContactName[]> {
  if (phones.length === 0) return Promise.resolve([]);
  return db.query<ContactName>(findContactNames, [account.shard, account.id, phones]);
}

/** The contact that a path names, or 404. */
export async function contactOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<ContactRow> {
  const row = await findContact(db, account, apiId);
  if (!row) throw noContact(apiId);
  return row;
}

/** The contact that a path names, locked until the transaction ends, or 404. */
export async function lockContact(tx: Tx, account: AccountRef, apiId: string): Promise<ContactRow> {
  const id = fromApiId("contact", apiId);
  const [row] = id === null ? [] : await lockContactRows(tx, account, [id]);
  if (!row) throw noContact(apiId);
  return row;
}

/** Existing contacts among these UUIDs, locked by phone number: one order everywhere prevents deadlocks. */
export function lockContactRows(
  tx: Tx,
  account: AccountRef,
  ids: readonly string[],
): Promise<ContactRow[]> {
  return tx.query<ContactRow>(lockContacts, [account.shard, account.id, ids]);
}

function noContact(apiId: string): Problem {
  return new Problem("not_found", `There is no contact ${apiId.slice(0, 64)}.`);
}

/** Contacts in API form, with the opt-out state of each. */
export async function presentContacts(
  db: Queryable,
  account: ModedAccount,
  rows: readonly ContactRow[],
) {
  if (rows.length === 0) return [];
  const phones = rows.map((row) => row.phone_number);
  const optedOut = await optedOutAmong(db, account, phones, null);
  return rows.map((row) => presentContact(row, optedOut.has(row.phone_number)));
}
