import type { Base } from "../../core/base.ts";
import {
  type AccountCache,
  type AccountRef,
  createAccountCache,
} from "../../core/db/driver/account-cache.ts";
import type { Database, Queryable } from "../../core/db/driver/database.ts";
import type { Group } from "../../core/db/driver/group.ts";
import type { Notifications } from "../../core/db/driver/notifications.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { GroupMeter } from "../../core/platform/metrics.ts";
import { type Choice, createChoiceWriter } from "./choice-writer.ts";
import type { Sender } from "./sender.ts";
import { findLiveSenderRow, findPoolMembers, findSenderRow, findSenderRows } from "./sql.ts";

const CACHE_SENDERS_MAX = 50_000;
const CACHE_POOLS_MAX = 5_000;

/** A cached pool, with the choices known for this version of it. */
export interface CachedPool {
  readonly id: string;
  readonly version: number;
  readonly members: readonly Sender[];
  /** Members by id. */
  readonly byId: ReadonlyMap<string, Sender>;
  /** Chosen members' ids, by mode and recipient. */
  readonly choices: Map<string, string>;
}

/**
 * Numbers and pools on the hot path: at most one second old, dropped immediately on notification.
 */
export interface NumberDirectory {
  readonly senders: AccountCache<Sender>;
  readonly pools: AccountCache<CachedPool>;
  readonly choices: Group<Choice, string | null>;
}

export function createNumberDirectory(
  db: Database,
  clock: Clock,
  notifications: Notifications,
  meter: GroupMeter,
): NumberDirectory {
  return {
    senders: createAccountCache<Sender>({
      clock,
      notifications,
      entriesMax: CACHE_SENDERS_MAX,
      read: async (account, phone) => {
        const [row] = await db.query<Sender>(findSenderRow, [account.id, phone]);
        return row ?? null;
      },
    }),
    pools: createAccountCache<CachedPool>({
      clock,
      notifications,
      entriesMax: CACHE_POOLS_MAX,
      read: (account, id, previous) => readPool(db, account, id, previous),
    }),
    choices: createChoiceWriter(db, clock, meter),
  };
}

/** The account's active number with this E.164, or null. A cache hit needs no await. */
export function findSender(
  deps: { readonly numbers: NumberDirectory },
  account: AccountRef,
  e164: string,
): Sender | null | Promise<Sender | null> {
  return deps.numbers.senders.find(account, e164);
}

/** Reference to a number of an account. */
export interface SenderRef {
  readonly accountId: string;
  readonly phone: string;
}

/** Finds the number of a reference among those that `readSenders` read. */
export type SenderLookup = (ref: SenderRef) => Sender | null;

/** Reads active numbers in one query, bypassing the cache. */
export async function readSenders(
  db: Queryable,
  refs: readonly SenderRef[],
): Promise<SenderLookup> {
  const keyOf = ({ accountId, phone }: SenderRef) => `${accountId} ${phone}`;
  const unique = [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()];
  const values = [unique.map(({ accountId }) => accountId), unique.map(({ phone }) => phone)];
  const rows = unique.length === 0 ? [] : await db.query<Sender>(findSenderRows, values);
  const found = new Map(
    rows.map((row) => [keyOf({ accountId: row.account_id, phone: row.phone_number }), row]),
  );
  return (ref) => found.get(keyOf(ref)) ?? null;
}

/** The active live number with this E.164 in any account, for inbound messages. */
export async function findLiveSender(deps: Pick<Base, "db">, e164: string): Promise<Sender | null> {
  const [row] = await deps.db.query<Sender>(findLiveSenderRow, [e164]);
  return row ?? null;
}

type MemberRow = { version: number } & (Sender | { id: null });

async function readPool(
  db: Database,
  account: AccountRef,
  id: string,
  previous: CachedPool | undefined,
): Promise<CachedPool | null> {
  const rows = await db.query<MemberRow>(findPoolMembers, [account.shard, account.id, id]);
  const [first] = rows;
  if (!first) return null;
  const members: Sender[] = [];
  for (const { version: _, ...row } of rows) if (row.id !== null) members.push(row as Sender);
  const version = first.version;
  const choices = previous?.version === version ? previous.choices : new Map<string, string>();
  const byId = new Map(members.map((member) => [member.id, member]));
  return { id, version, members, byId, choices };
}
