import type { Tx } from "../db/database.ts";
import {
  type CountedKey,
  exchangeOf,
  HOUR_MS,
  keysRead,
  prefixOf,
  sliceOf,
} from "./counted-keys.ts";
import { type CounterBook, createCounterBook } from "./counter-book.ts";
import { type CountsOwner, ownerKey } from "./counts.ts";
import { lockMoney, readBlocks, readCounters, readPhones, readStops } from "./sql.ts";
import type { StartItem } from "./start-item.ts";
import type { VerificationRow } from "./verification-row.ts";

/** Stops of the service's own numbers are nobody's in particular: they stand in the first shard. */
export const STOPS_SHARD = 0;

export interface Money {
  readonly available_micros: number;
  readonly allowance_month: string;
  readonly verifications_used: number;
}

/** What is known of a phone; a group changes it as it goes along. */
export interface PhoneState {
  newest: VerificationRow | null;
  sentAtMs: number[];
  isChanged: boolean;
}

/** All that a group of starts decides by, read under the locks of its accounts. */
export interface StartState {
  readonly money: ReadonlyMap<string, Money>;
  phoneOf(item: StartItem): PhoneState;
  bookOf(owner: CountsOwner): CounterBook;
  books(): { owner: CountsOwner; book: CounterBook }[];
  readonly blocked: Set<string>;
  readonly stopped: ReadonlySet<string>;
}

export const ownerOf = (item: StartItem): CountsOwner => ({
  accountId: item.account.id,
  mode: item.mode,
});
export const blockKey = (owner: CountsOwner, prefix: string) => `${ownerKey(owner)} ${prefix}`;
const phoneKey = (owner: CountsOwner, phone: string) => `${ownerKey(owner)} ${phone}`;

export async function lockAccountsOf(
  tx: Tx,
  shard: number,
  items: readonly { readonly account: { readonly id: string } }[],
): Promise<ReadonlyMap<string, Money>> {
  const accounts = [...new Set(items.map((item) => item.account.id))];
  const rows = await tx.query<Money & { account_id: string }>(lockMoney, [shard, accounts]);
  return new Map(rows.map((row) => [row.account_id, row]));
}

export async function readStartState(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<StartState> {
  const money = await lockAccountsOf(tx, shard, items);
  const phones = await phonesOf(tx, shard, items);
  const books = await booksOf(tx, shard, items, nowMs);
  const stops = await tx.query<{ phone: string }>(readStops, [
    STOPS_SHARD,
    [...new Set(items.map((item) => item.phone))],
  ]);
  return {
    money,
    phoneOf(item) {
      const key = phoneKey(ownerOf(item), item.phone);
      const known = phones.get(key) ?? { newest: null, sentAtMs: [], isChanged: false };
      phones.set(key, known);
      return known;
    },
    bookOf(owner) {
      const known = books.get(ownerKey(owner)) ?? { owner, book: createCounterBook() };
      books.set(ownerKey(owner), known);
      return known.book;
    },
    books: () => [...books.values()],
    blocked: await blockedOf(tx, shard, items, nowMs),
    stopped: new Set(stops.map((row) => row.phone)),
  };
}

async function phonesOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
): Promise<Map<string, PhoneState>> {
  const asked = new Map(
    items.map((item) => [
      phoneKey(ownerOf(item), item.phone),
      { account_id: item.account.id, mode: item.mode, phone: item.phone },
    ]),
  );
  const rows = await tx.query<
    VerificationRow & {
      phone_account_id: string;
      phone_mode: "test" | "live";
      phone_number: string;
      sent_at_ms: number[];
    }
  >(readPhones, [shard, JSON.stringify([...asked.values()])]);
  return new Map(
    rows.map(({ phone_account_id, phone_mode, phone_number, sent_at_ms, ...row }) => [
      phoneKey({ accountId: phone_account_id, mode: phone_mode }, phone_number),
      { newest: row.id === null ? null : row, sentAtMs: sent_at_ms, isChanged: false },
    ]),
  );
}

async function booksOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Map<string, { owner: CountsOwner; book: CounterBook }>> {
  const asked = new Map<string, object>();
  for (const item of items) {
    const owner = ownerOf(item);
    for (const key of keysRead(item.phone, item.ip)) {
      asked.set(`${ownerKey(owner)} ${key.key}`, questionOf(owner, key, nowMs));
    }
  }
  const rows = await tx.query<{
    account_id: string;
    mode: "test" | "live";
    key: string;
    bucket: number;
    started: number;
    sent: number;
    approved: number;
  }>(readCounters, [shard, JSON.stringify([...asked.values()])]);
  const books = new Map<string, { owner: CountsOwner; book: CounterBook }>();
  for (const { account_id, mode, bucket, ...slice } of rows) {
    const owner = { accountId: account_id, mode };
    const known = books.get(ownerKey(owner)) ?? { owner, book: createCounterBook() };
    books.set(ownerKey(owner), known);
    known.book.fill([{ bucketMs: bucket, ...slice }]);
  }
  return books;
}

function questionOf(owner: CountsOwner, key: CountedKey, nowMs: number): object {
  const since = new Date(sliceOf(key, nowMs - HOUR_MS)).toISOString();
  return { account_id: owner.accountId, mode: owner.mode, key: key.key, since };
}

async function blockedOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Set<string>> {
  const asked = new Map<string, object>();
  for (const item of items) {
    const owner = ownerOf(item);
    for (const prefix of [prefixOf(item.phone), exchangeOf(item.phone)]) {
      asked.set(blockKey(owner, prefix), { account_id: owner.accountId, mode: owner.mode, prefix });
    }
  }
  const rows = await tx.query<{ account_id: string; mode: "test" | "live"; prefix: string }>(
    readBlocks,
    [shard, JSON.stringify([...asked.values()]), new Date(nowMs)],
  );
  return new Set(
    rows.map((row) => blockKey({ accountId: row.account_id, mode: row.mode }, row.prefix)),
  );
}
