import { lockAccountsMoney, type Money } from "../../../account/billing/index.ts";
import type { Tx } from "../../../core/db/driver/database.ts";
import { findOptedOut } from "../../messages/index.ts";
import {
  type CounterKeyRange,
  PHONE_KEY_COLUMNS,
  type PhoneKey,
  RANGE_COLUMNS,
} from "../array-columns.ts";
import {
  ACCOUNT_KEY,
  type CounterKey,
  exchangeEnds,
  exchangeOf,
  HOUR_MS,
  ipKey,
  neighbourKeys,
  prefixOf,
  recentStart,
  windowStart,
} from "../fraud/counter-keys.ts";
import type { ServiceLoss } from "../fraud/rules.ts";
import { readServiceLossToday } from "../fraud/service-loss.ts";
import {
  BEST_HOUR_DAYS,
  type CountsOwner,
  countsOwner,
  createVelocityCounters,
  type VelocityCounters,
} from "../fraud/velocity-counters.ts";
import { lockTargets, readBlocks, readCounters, readPhones, readStops } from "../sql.ts";
import type { VerificationRow } from "../verification-row.ts";
import type { StartItem } from "./item.ts";

/**
 * Shard of rows that span all accounts: send times per phone, STOPs to the service's numbers, and the
 * service's loss.
 */
export const SERVICE_SHARD = 0;
const DAY_MS = 24 * HOUR_MS;

/** State of one phone of an account. Starts of a group update it in order. */
export interface PhoneState {
  newest: VerificationRow | null;
  sentAtMs: number[];
  /** Wrong codes in a row before the newest verification. */
  failures: number;
  isChanged: boolean;
}

/** Everything that decides a group of starts, read under the locks of its accounts. */
export interface StartState {
  readonly money: ReadonlyMap<string, Money>;
  phoneOf(item: StartItem): PhoneState;
  countersOf(owner: CountsOwner): VelocityCounters;
  allCounters(): { owner: CountsOwner; counters: VelocityCounters }[];
  readonly blocked: Set<string>;
  readonly stopped: ReadonlySet<string>;
  /** Whether the phone has opted out of messages from the account's own numbers for this customer. */
  isOptedOut(item: StartItem, customerId: string | null): boolean;
  /** Times of codes by phone, over all accounts; only phones of items that go through a real carrier. */
  readonly targets: Map<string, number[]>;
  /** Today's loss from codes of the service's numbers; null: no item can add to it. */
  readonly service: MutableServiceLoss | null;
}

type MutableServiceLoss = { -readonly [K in keyof ServiceLoss]: ServiceLoss[K] };

/** Whether the service pays for the code unless it is answered. */
export function isPaidByService(item: StartItem, pending: VerificationRow | null): boolean {
  const isOwn = pending ? pending.from_number !== null : item.own !== null;
  return mayCostService(item) && !isOwn;
}

function mayCostService({ mode, isViaCarrier, isUnpaid }: StartItem): boolean {
  return isViaCarrier && (mode === "live" || isUnpaid === true);
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

/** Pipelines all reads behind the account locks, so that they see what was committed before the locks. */
export async function readStartState(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<StartState> {
  const [money, phones, owners, stopped, blocked, targets, service] = await Promise.all([
    lockAccountsOf(tx, shard, items, nowMs),
    readPhoneStates(tx, shard, items),
    readVelocityCounters(tx, shard, items, nowMs),
    readStopped(tx, items),
    readBlockedPrefixes(tx, shard, items, nowMs),
    lockTargetSends(tx, items, nowMs),
    items.some(mayCostService) ? readServiceLossToday(tx, nowMs) : null,
  ]);
  const optedOut = await readOptedOut(tx, shard, items, phones);
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
    countersOf(owner) {
      const known = owners.get(owner.key) ?? { owner, counters: createVelocityCounters() };
      owners.set(owner.key, known);
      return known.counters;
    },
    allCounters: () => [...owners.values()],
    blocked,
    stopped,
    targets,
    service,
  };
}

const consentKey = (item: StartItem, customerId: string | null) =>
  `${item.account.id} ${item.mode} ${item.phone} ${customerId ?? ""}`;

/** Skips the query unless some code comes from an account's own number. */
async function readOptedOut(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  phones: ReadonlyMap<string, PhoneState>,
): Promise<Set<string>> {
  const newestOf = (item: StartItem) => phones.get(phoneKey(item.owner, item.phone))?.newest;
  const isOwn = (item: StartItem) => item.own !== null || newestOf(item)?.from_number != null;
  if (!items.some(isOwn)) return new Set();
  const queries = items.flatMap((item) =>
    [item.customerId, newestOf(item)?.customer_id ?? null].map((customerId) => ({
      id: consentKey(item, customerId),
      account_id: item.account.id,
      mode: item.mode,
      to_number: item.phone,
      customer_id: customerId,
    })),
  );
  const found = await tx.query<{ id: string }>(findOptedOut, [shard, JSON.stringify(queries)]);
  return new Set(found.map((row) => row.id));
}

type NoVerification = { readonly [K in keyof VerificationRow]: null };

/** A phone and its newest verification, if any. */
type PhoneRow = (VerificationRow | NoVerification) & {
  readonly phone_account_id: string;
  readonly phone_mode: "test" | "live";
  readonly phone_number: string;
  readonly sent_at_ms: number[];
  readonly failures: number;
};

async function readPhoneStates(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
): Promise<Map<string, PhoneState>> {
  const phoneKeys = new Map<string, PhoneKey>();
  for (const { owner, phone } of items) phoneKeys.set(phoneKey(owner, phone), { owner, phone });
  const phones = [...phoneKeys.values()];
  const columns = PHONE_KEY_COLUMNS.map((column) => column.textOf(phones));
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

async function readVelocityCounters(
  tx: Tx,
  shard: number,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Map<string, { owner: CountsOwner; counters: VelocityCounters }>> {
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
    new Date(recentStart(nowMs)),
    new Date(hourStart(nowMs - DAY_MS)),
    new Date(hourStart(nowMs - BEST_HOUR_DAYS * DAY_MS)),
    ...RANGE_COLUMNS.map((column) => column.textOf(ranges)),
  ]);
  const owners = new Map<string, { owner: CountsOwner; counters: VelocityCounters }>();
  const filled = new Set<string>();
  for (const row of rows) {
    const owner = countsOwner(row.account_id, row.mode);
    // Ranges of neighbours overlap, and a key in two ranges is returned twice.
    const name = `${owner.key} ${row.key}`;
    if (filled.has(name)) continue;
    filled.add(name);
    const known = owners.get(owner.key) ?? { owner, counters: createVelocityCounters() };
    owners.set(owner.key, known);
    known.counters.fill(row.key, row);
  }
  return owners;
}

const hourStart = (atMs: number) => Math.floor(atMs / HOUR_MS) * HOUR_MS;

/** Counter keys that the rules read. Number blocks of an exchange, and neighbours, are key ranges. */
function rangesOf(items: readonly StartItem[], nowMs: number): CounterKeyRange[] {
  const ranges = new Map<string, CounterKeyRange>();
  const addRange = (owner: CountsOwner, first: CounterKey, last = first) => {
    const name = `${owner.key} ${first.key}`;
    if (ranges.has(name)) return;
    ranges.set(name, { owner, low: first.key, high: last.key, sinceMs: windowStart(first, nowMs) });
  };
  for (const { owner, phone, ip } of items) {
    const [firstBlock, lastBlock] = exchangeEnds(phone);
    const [, before, after] = neighbourKeys(phone);
    addRange(owner, ACCOUNT_KEY);
    addRange(owner, firstBlock, lastBlock);
    addRange(owner, before, after);
    if (ip !== null) addRange(owner, ipKey(ip));
  }
  return [...ranges.values()];
}

async function readBlockedPrefixes(
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

async function readStopped(tx: Tx, items: readonly StartItem[]): Promise<Set<string>> {
  const phones = [...new Set(items.map((item) => item.phone))];
  const rows = await tx.query<{ phone: string }>(readStops, [SERVICE_SHARD, phones]);
  return new Set(rows.map((row) => row.phone));
}

/** Locks phones of codes that go through a real carrier: only these count against a phone's hourly limit. */
async function lockTargetSends(
  tx: Tx,
  items: readonly StartItem[],
  nowMs: number,
): Promise<Map<string, number[]>> {
  const phones = [...new Set(items.filter((item) => item.isViaCarrier).map((item) => item.phone))];
  if (phones.length === 0) return new Map();
  const rows = await tx.query<{ phone: string; sent_at_ms: number[] }>(lockTargets, [
    SERVICE_SHARD,
    phones,
    new Date(nowMs),
  ]);
  return new Map(rows.map((row) => [row.phone, row.sent_at_ms]));
}
