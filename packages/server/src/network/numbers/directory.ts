import type { Base } from "../base.ts";
import { type AccountCache, type AccountRef, createAccountCache } from "../db/account-cache.ts";
import type { Database } from "../db/database.ts";
import type { Group } from "../db/group.ts";
import type { Notifications } from "../db/notifications.ts";
import type { Clock } from "../platform/clock.ts";
import type { GroupMeter } from "../platform/metrics.ts";
import { type Choice, createChoiceWriter } from "./choice-writer.ts";
import type { Sender } from "./sender.ts";
import { findLiveSenderRow, findPoolMembers, findSenderRow } from "./sql.ts";

const CACHE_SENDERS_MAX = 50_000;
const CACHE_POOLS_MAX = 5_000;

/** A pool as the cache keeps it, with the choices known to hold under this version of it. */
export interface KnownPool {
  readonly id: string;
  readonly version: number;
  readonly members: readonly Sender[];
  /** The same by their ids. */
  readonly byId: ReadonlyMap<string, Sender>;
  /** Ids of the members chosen, by mode and recipient. */
  readonly choices: Map<string, string>;
}

/** Numbers and pools on the hot path: at most a second old, dropped at once when told. */
export interface NumberDirectory {
  readonly senders: AccountCache<Sender>;
  readonly pools: AccountCache<KnownPool>;
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
    pools: createAccountCache<KnownPool>({
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

/** The active live number with this E.164, whoever owns it: for texts that carriers bring. */
export async function findLiveSender(deps: Pick<Base, "db">, e164: string): Promise<Sender | null> {
  const [row] = await deps.db.query<Sender>(findLiveSenderRow, [e164]);
  return row ?? null;
}

type MemberRow = { version: number } & (Sender | { id: null });

async function readPool(
  db: Database,
  account: AccountRef,
  id: string,
  previous: KnownPool | undefined,
): Promise<KnownPool | null> {
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
