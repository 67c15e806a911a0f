import type { Base, Owner } from "../../core/base.ts";
import type { Step } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { revivedError } from "../../core/db/driver/forwarded-errors.ts";
import { createGroup, type Group, GroupFull } from "../../core/db/driver/group.ts";
import { PROFILES } from "../../core/db/driver/profiles.ts";
import { stripeOf } from "../../core/db/driver/stripes.ts";
import { assert } from "../../core/platform/assert.ts";
import {
  NotSent,
  type PeerLink,
  PeerLost,
  PeerRefusal,
  type Peers,
} from "../../core/platform/peers/index.ts";
import { lockAccounts } from "../messages/index.ts";

/** A kind of hot write, such as accepting messages. Every kind locks the counters of its accounts until the commit. */
export interface WriteKind<Item, Result> {
  /** Name of its group in the metrics. */
  readonly name: string;
  /** Maximum waiting items in this process; callers beyond it get GroupFull. */
  readonly itemsWaitingMax: number;
  /** Maximum waiting items of one account in this process. Absent: only the limit of the kind holds. */
  readonly accountItemsWaitingMax?: number;
  readonly ownerOf: (item: Item) => Owner;
  /** Rows that the item writes; 1 by default. */
  readonly weightOf?: (item: Item) => number;
  /** The steps that write items of one shard. Called once per write, when the pipeline leaves. */
  readonly plan: (shard: number, items: readonly Item[]) => WritePlan<Result>;
  /** Writes an item in a transaction of its own, while the account's own calls hold its lock. */
  readonly writeApart: (item: Item) => Promise<Result>;
  /** Absent: items are never forwarded. */
  readonly wire?: Wire<Item, Result>;
}

/** How items of a kind travel to the process that owns their account's stripe. Results are JSON values. */
export interface Wire<Item, Result> {
  /** Returns the item as a JSON value; null if only this process can write it. */
  readonly pack: (item: Item) => unknown;
  readonly unpack: (packed: unknown) => Item;
  /** Writes an item once that the owner may have written before it was lost. */
  readonly writeAgain: (item: Item) => Promise<Result>;
}

export interface WritePlan<Result> {
  /** Locks of rows that are taken before the accounts are locked. */
  readonly lock: readonly Step[];
  readonly write: Step;
  readonly follow: readonly Step[];
  /** Reads one result per item from the rows of `write`. */
  readonly resultsOf: (rows: readonly unknown[]) => readonly Result[];
}

/**
 * The one queue of all hot writes: writes of any kind that wait for the same accounts share a commit.
 *
 * Each stripe of accounts has an owner among the processes of this machine. An item of another process's stripe is
 * forwarded there, so that processes do not wait for each other's row locks. Ownership is only speed: the row lock keeps
 * two writers of one account correct, so an item that cannot be forwarded is written here.
 */
export interface AccountQueue {
  attach<Item, Result>(kind: WriteKind<Item, Result>): Group<Item, Result>;
  /** Writes an item that another process forwarded, unless that process is gone when its pipeline leaves. */
  receive(kind: string, packed: unknown, isGone: () => boolean): Promise<unknown>;
}

/** Connections for group commits, each with a writer of its own: an account always uses the same one. */
const WRITERS = PROFILES.groups.sharedConnections;
/**
 * Rows per commit: a chunk of receipts and other items beside it. A message that arrives at a full queue waits for the
 * two commits in flight, of about 30 ms each.
 */
const ROWS_PER_WRITE_MAX = 400;
/**
 * The writer sends a second pipeline on the same connection before the first is answered, so that the database never
 * waits for Node.js. PostgreSQL runs it after the first commit, so it waits for no lock of the first.
 */
const PIPELINES_PER_WRITER_MAX = 2;
const ITEMS_PER_FURTHER_PIPELINE_MIN = 16;

interface Queued {
  readonly kind: AnyKind;
  readonly owner: Owner;
  readonly item: unknown;
  /** Whether the sender of a forwarded item has been lost, and writes it again. */
  readonly isGone: (() => boolean) | null;
  /** Set once committed: a retry of the rest of the group skips this item. */
  written: { readonly result: unknown } | null;
}

type AnyKind = WriteKind<unknown, unknown>;

/** Items of one kind and shard. */
interface Part {
  readonly kind: AnyKind;
  readonly shard: number;
  readonly queued: readonly Queued[];
}

interface Receiver {
  receive(packed: unknown, isGone: () => boolean): Promise<unknown>;
}

type QueueBase = Pick<Base, "db" | "metrics" | "transactionSlots">;

export function createAccountQueue(deps: QueueBase & { readonly peers: Peers }): AccountQueue {
  const { transactionSlots, peers } = deps;
  const writers = Array.from({ length: WRITERS }, () => createWriter(deps));
  const kinds = new Map<string, Receiver>();
  return {
    attach(kind) {
      const writeHere = createLocalWriter(kind, writers);
      const isBusy = (item: Parameters<typeof kind.ownerOf>[0]) =>
        transactionSlots.isFull(kind.ownerOf(item).accountId);
      kinds.set(kind.name, {
        async receive(packed, isGone) {
          assert(kind.wire, "a kind that is forwarded has a wire form");
          const item = kind.wire.unpack(packed);
          return isBusy(item) ? kind.writeApart(item) : writeHere(item, isGone);
        },
      });
      return {
        add(item) {
          if (isBusy(item)) return kind.writeApart(item);
          const owner = peers.ownerOf(stripeOf(kind.ownerOf(item).accountId));
          return owner?.isReady() ? forward(kind, item, owner, writeHere) : writeHere(item);
        },
        async drain() {
          await Promise.all(writers.map((writer) => writer.drain()));
        },
      };
    },
    async receive(name, packed, isGone) {
      const kind = kinds.get(name);
      assert(kind, `no kind of write is named ${name}`);
      return kind.receive(packed, isGone);
    },
  };
}

function createLocalWriter<Item, Result>(
  kind: WriteKind<Item, Result>,
  writers: readonly Group<Queued, unknown>[],
): (item: Item, isGone?: () => boolean) => Promise<Result> {
  let waiting = 0;
  const waitingOf = new Map<string, number>();
  const { accountItemsWaitingMax = kind.itemsWaitingMax } = kind;
  return async (item, isGone) => {
    const owner = kind.ownerOf(item);
    const { accountId } = owner;
    const ofAccount = waitingOf.get(accountId) ?? 0;
    if (waiting >= kind.itemsWaitingMax || ofAccount >= accountItemsWaitingMax)
      throw new GroupFull();
    const writer = writers[stripeOf(accountId) % WRITERS] as Group<Queued, unknown>;
    waiting += 1;
    waitingOf.set(accountId, ofAccount + 1);
    try {
      const queued = { kind: kind as AnyKind, owner, item, isGone: isGone ?? null, written: null };
      return (await writer.add(queued)) as Result;
    } finally {
      waiting -= 1;
      const left = (waitingOf.get(accountId) ?? 1) - 1;
      if (left > 0) waitingOf.set(accountId, left);
      else waitingOf.delete(accountId);
    }
  };
}

async function forward<Item, Result>(
  { name, wire }: WriteKind<Item, Result>,
  item: Item,
  owner: PeerLink,
  writeHere: (item: Item) => Promise<Result>,
): Promise<Result> {
  const packed = wire?.pack(item) ?? null;
  if (wire === undefined || packed === null) return writeHere(item);
  try {
    return (await owner.ask(name, packed)) as Result;
  } catch (error) {
    if (error instanceof NotSent) return writeHere(item);
    if (error instanceof PeerLost) return wire.writeAgain(item);
    throw error instanceof PeerRefusal ? revivedError(error.described) : error;
  }
}

function createWriter({ db, metrics }: Pick<Base, "db" | "metrics">): Group<Queued, unknown> {
  return createGroup<Queued, unknown>({
    itemsPerWriteMax: ROWS_PER_WRITE_MAX,
    // Each kind has its own limit.
    itemsWaitingMax: Number.POSITIVE_INFINITY,
    writesInFlightMax: PIPELINES_PER_WRITER_MAX,
    itemsPerFurtherWriteMin: ITEMS_PER_FURTHER_PIPELINE_MIN,
    weightOf: ({ kind, item }) => kind.weightOf?.(item) ?? 1,
    // Receipts of an account do not delay its messages either.
    keyOf: ({ kind, owner }) => `${owner.accountId} ${kind.name}`,
    isItemFault: (error) => !isUnavailable(error),
    write: async (items) => {
      const left = items.filter(({ written, isGone }) => written === null && isGone?.() !== true);
      const parts = partsOf(left);
      // Citus runs a single call on the worker of its shard, and a pipeline as separate transactions.
      const commits = db.isDistributed ? parts.map((part) => [part]) : [parts];
      const done = parts.map(({ kind, queued }) => metrics.group(kind.name).start(queued.length));
      try {
        for (const commit of commits) await writeParts(db, commit);
      } finally {
        for (const measured of done) measured();
      }
      return items.map(({ written }) => written?.result);
    },
  });
}

/** Sorts items by shard, then by kind in the order of their arrival. */
function partsOf(items: readonly Queued[]): Part[] {
  const parts = new Map<string, Queued[]>();
  for (const one of items) {
    const key = `${one.owner.shard} ${one.kind.name}`;
    const part = parts.get(key);
    if (part) part.push(one);
    else parts.set(key, [one]);
  }
  return [...parts.values()]
    .map((queued): Part => {
      const [{ kind, owner }] = queued as [Queued];
      return { kind, shard: owner.shard, queued };
    })
    .sort((a, b) => a.shard - b.shard);
}

/** Writes the parts in one transaction. */
async function writeParts(db: Base["db"], parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  const plans = parts.map(({ kind, shard, queued }) =>
    kind.plan(
      shard,
      queued.map(({ item }) => item),
    ),
  );
  const steps = [...plans.flatMap(({ lock }) => lock), ...lockSteps(parts)];
  const resultIndexes = plans.map(({ write, follow }) => {
    const index = steps.push(write) - 1;
    steps.push(...follow);
    return index;
  });
  const accountId = parts[0]?.queued[0]?.owner.accountId ?? null;
  const rows = await db.execPipelined(steps, { accountId });
  for (const [index, { queued }] of parts.entries()) {
    const results = plans[index]?.resultsOf(rows[resultIndexes[index] as number] ?? []) ?? [];
    queued.forEach((one, position) => {
      one.written = { result: results[position] };
    });
  }
}

/**
 * Locks all accounts in order before the first write. A single write does it itself, and a single account has no
 * order.
 */
function lockSteps(parts: readonly Part[]): Step[] {
  if (parts.length < 2) return [];
  const byShard = new Map<number, Set<string>>();
  for (const { shard, queued } of parts) {
    const accounts = byShard.get(shard) ?? new Set();
    byShard.set(shard, accounts);
    for (const { owner } of queued) accounts.add(owner.accountId);
  }
  const isOneAccount = byShard.size === 1 && [...byShard.values()].every(({ size }) => size === 1);
  if (isOneAccount) return [];
  return [...byShard].map(([shard, accounts]) => ({
    statement: lockAccounts,
    values: [shard, [...accounts]],
  }));
}
