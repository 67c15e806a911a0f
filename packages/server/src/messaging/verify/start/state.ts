import { lockAccountsMoney, type Money } from "../../billing/index.ts";
import type { Tx } from "../../db/database.ts";
import { findOptedOut } from "../../handover/index.ts";
import {
  ACCOUNT_KEY,
  type CountedKey,
  exchangeEnds,
  exchangeOf,
  HOUR_MS,
  ipKey,
  neighbourKeys,
  prefixOf,
  recentSince,
  sinceOf,
} from "../fraud/counted-keys.ts";
import {
  type CounterBook,
  type CountsOwner,
  countsOwner,
  createCounterBook,
} from "../fraud/counter-book.ts";
import type { ServiceLoss } from "../fraud/rules.ts";
import { readLoss } from "../fraud/service-loss.ts";
import { holdTargets, readBlocks, readCounters, readPhones, readStops } from "../sql.ts";
import type { VerificationRow } from "../verification-row.ts";
import {
  ASKED_COLUMNS,
  type AskedPhone,
  type CountedRange,
  RANGE_COLUMNS,
} from "../written-columns.ts";
import type { StartItem } from "./item.ts";

/**
 * Rows about a phone that count for all accounts together (who was texted when, who said STOP to the
 * service, what the service loses) belong to no account's shard. They are kept in the first.
 */
export const SERVICE_SHARD = 0;
const DAY_MS = 24 * HOUR_MS;

/** What is known of a phone; a group changes it as it goes along. */
export interface PhoneState {
  newest: VerificationRow | null;
  sentAtMs: number[];
  /** Wrong codes in a row before the newest verification. */
  failures: number;
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
  /** Whether a person has opted out of what the account's own numbers text for this customer. */
  isOptedOut(item: StartItem, customerId: string | null): boolean;
  /** When phones that are texted for real were, whoever asked for it. */
  readonly targets: Map<string, number[]>;
  /** What the service loses today by codes from its own numbers; null where none is asked for. */
  readonly service: ServiceStanding | null;
}

type ServiceStanding = { -readonly [K in keyof ServiceLoss]: ServiceLoss[K] };

/** Whether the service pays for the code unless it is answered. */
export function isPaidByService(item: StartItem, pending: VerificationRow | null): boolean {
  const isOwn = pending ? pending.from_number !== null : item.own !== null;
  return item.mode === "live" && item.leaves && !isOwn;
}

export const blockKey = (owner: CountsOwner, prefix: string) => `${owner.key} ${prefix}`;
const phoneKey = (owner: CountsOwner, phone: string) => `${owner.key} ${phone}`;

export function lockAccountsOf(
  tx: Tx,
  shard: number,
  items: readonly { readonly account: { readonly id: string } }[],
  nowMs: number,
): Promise<ReadonlyMap<string, Money>> {
  return lockAccountsMoney(tx, shard, accountsOf(items), nowMs);
}

function accountsOf(items: readonly { readonly account: { readonly id: string } }[]): string[] {
  return [...new Set(items.map((item) => item.account.id))];
}

/** Everything is asked for at once, behind the lock: it is read as it stands when that is given. */
export async function readStartState(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<StartState> {
  const [money, phones, books, stopped, blocked, targets, service] = await Promise.all([
    lockAccountsOf(tx, shard, items, nowMs),
    phonesOf(tx, shard, items),
    booksOf(tx, shard, items, nowMs),
    stoppedOf(tx, items),
    blockedOf(tx, shard, items, nowMs),
    targetsOf(tx, items, nowMs),
    items.some((item) => item.mode === "live" && item.leaves) ? readLoss(tx, nowMs) : null,
  ]);
  const optedOut = await optedOutOf(tx, shard, items, phones);
  return {
    money,
    isOptedOut: (item, customerId) => optedOut.has(consentKey(item, customerId)),
    phoneOf(item) {
      const key = phoneKey(item.owner, item.phone);
      const known = phones.get(key) ?? {
        newest: null,
        sentAtMs: [],
        failures: 0,
        isChanged: false,
      };
      phones.set(key, known);
      return known;
    },
    bookOf(owner) {
      const known = books.get(owner.key) ?? { owner, book: createCounterBook() };
      books.set(owner.key, known);
      return known.book;
    },
    books: () => [...books.values()],
    blocked,
    stopped,
    targets,
    service,
  };
}

const consentKey = (item: StartItem, customerId: string | null) =>
  `${item.account.id} ${item.phone} ${customerId ?? ""}`;

/** Asked only where some code comes from a number of its account's own, and then for all. */
async function optedOutOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  phones: ReadonlyMap<string, PhoneState>,
): Promise<Set<string>> {
  const newestOf = (item: StartItem) => phones.get(phoneKey(item.owner, item.phone))?.newest;
  const isOwn = (item: StartItem) => item.own !== null || newestOf(item)?.from_number != null;
  if (!items.some(isOwn)) return new Set();
  const asked = items.flatMap((item) =>
    [item.customerId, newestOf(item)?.customer_id ?? null].map((customerId) => ({
      id: consentKey(item, customerId),
      account_id: item.account.id,
      to_number: item.phone,
      customer_id: customerId,
    })),
  );
  const found = await tx.query<{ id: string }>(findOptedOut, [shard, JSON.stringify(asked)]);
  return new Set(found.map((row) => row.id));
}

type NoVerification = { readonly [K in keyof VerificationRow]: null };

/** A phone, with its newest verification if it has one. */
type PhoneRow = (VerificationRow | NoVerification) & {
  readonly phone_account_id: string;
  readonly phone_mode: "test" | "live";
  readonly phone_number: string;
  readonly sent_at_ms: number[];
  readonly failures: number;
};

async function phonesOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
): Promise<Map<string, PhoneState>> {
  const asked = new Map<string, AskedPhone>();
  for (const { owner, phone } of items) asked.set(phoneKey(owner, phone), { owner, phone });
  const phones = [...asked.values()];
  const columns = ASKED_COLUMNS.map((column) => column.textOf(phones));
  const rows = await tx.query<PhoneRow>(readPhones, [shard, ...columns]);
  return new Map(
    rows.map((row) => [
      phoneKey(countsOwner(row.phone_account_id, row.phone_mode), row.phone_number),
      {
        newest: row.id ? row : null,
        sentAtMs: row.sent_at_ms,
        failures: row.failures,
        isChanged: false,
      },
    ]),
  );
}

async function booksOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Map<string, { owner: CountsOwner; book: CounterBook }>> {
  const ranges = rangesOf(items, nowMs);
  const rows = await tx.query<{
    account_id: string;
    mode: "test" | "live";
    key: string;
    started: number;
    sent: number;
    approved: number;
  }>(readCounters, [
    shard,
    accountsOf(items),
    new Date(recentSince(nowMs)),
    new Date(Math.floor((nowMs - DAY_MS) / HOUR_MS) * HOUR_MS),
    ...RANGE_COLUMNS.map((column) => column.textOf(ranges)),
  ]);
  const books = new Map<string, { owner: CountsOwner; book: CounterBook }>();
  const told = new Set<string>();
  for (const row of rows) {
    const owner = countsOwner(row.account_id, row.mode);
    // The ranges of neighbours overlap; a key that two of them hold is told twice.
    const name = `${owner.key} ${row.key}`;
    if (told.has(name)) continue;
    told.add(name);
    const known = books.get(owner.key) ?? { owner, book: createCounterBook() };
    books.set(owner.key, known);
    known.book.fill(row.key, row);
  }
  return books;
}

/** What the rules read for the texts: the blocks of an exchange, and neighbours, are ranges of keys. */
function rangesOf(items: readonly StartItem[], nowMs: number): CountedRange[] {
  const ranges = new Map<string, CountedRange>();
  const ask = (owner: CountsOwner, first: CountedKey, last = first) => {
    const name = `${owner.key} ${first.key}`;
    if (ranges.has(name)) return;
    ranges.set(name, { owner, low: first.key, high: last.key, sinceMs: sinceOf(first, nowMs) });
  };
  for (const { owner, phone, ip } of items) {
    const [firstBlock, lastBlock] = exchangeEnds(phone);
    const [, before, after] = neighbourKeys(phone);
    ask(owner, ACCOUNT_KEY);
    ask(owner, firstBlock, lastBlock);
    ask(owner, before, after);
    if (ip !== null) ask(owner, ipKey(ip));
  }
  return [...ranges.values()];
}

async function blockedOf(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Set<string>> {
  const prefixes = items.flatMap(({ phone }) => [prefixOf(phone), exchangeOf(phone)]);
  const rows = await tx.query<{ account_id: string; mode: "test" | "live"; prefix: string }>(
    readBlocks,
    [shard, accountsOf(items), [...new Set(prefixes)], new Date(nowMs)],
  );
  return new Set(rows.map((row) => blockKey(countsOwner(row.account_id, row.mode), row.prefix)));
}

async function stoppedOf(tx: Tx, items: readonly StartItem[]): Promise<Set<string>> {
  const phones = [...new Set(items.map((item) => item.phone))];
  const rows = await tx.query<{ phone: string }>(readStops, [SERVICE_SHARD, phones]);
  return new Set(rows.map((row) => row.phone));
}

/** Only texts that leave are held: no phone hears of the others. */
async function targetsOf(
  tx: Tx,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Map<string, number[]>> {
  const phones = [...new Set(items.filter((item) => item.leaves).map((item) => item.phone))];
  if (phones.length === 0) return new Map();
  const rows = await tx.query<{ phone: string; sent_at_ms: number[] }>(holdTargets, [
    SERVICE_SHARD,
    phones,
    new Date(nowMs),
  ]);
  return new Map(rows.map((row) => [row.phone, row.sent_at_ms]));
}
