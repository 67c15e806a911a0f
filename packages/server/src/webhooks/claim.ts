import type { EventType } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Statement } from "../db/statement.ts";
import type { EventRow } from "../events/index.ts";
import { assert } from "../platform/assert.ts";
import { type Lease, shardsDueNow, type WorkerIdentity } from "../queue/lane.ts";
import type { Dispatchable, Dispatcher, RoomLeft } from "./dispatcher.ts";
import {
  claimBacklogJobs,
  claimOpenJobs,
  dropJobs,
  type GivenBackTo,
  giveBackJobs,
  holdJobs,
  type JobRow,
  listBacklogs,
  openJobsDue,
  parkJobs,
} from "./job-sql.ts";

/** What claims need of the server. */
export type ClaimDeps = Pick<Base, "db" | "clock" | "shards">;

/** A job that this process holds a lease on. */
export interface ClaimedJob extends Dispatchable {
  readonly lease: Lease;
  readonly attempt: number;
  readonly door: Door;
  readonly event: EventRow;
}

/** Where an endpoint is, and what is signed for it: one object for all jobs of one claim. */
export interface Door {
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
}

const JOBS_PER_CLAIM_MAX = 500;
const JOBS_PER_PARK_MAX = 1_000;
/**
 * A claim reads the queue along its index and skips the jobs of endpoints that have no room. While
 * that takes no longer than this, they stay where they are. When so many are in the way that it takes
 * longer, they are first moved into their endpoint's backlog, which the claim's index does not hold.
 */
const PASS_BY_MS_MAX = 500;
/**
 * How much of a second claims may spend on skipping jobs. Those of a quick endpoint are soon claimed
 * where they are, and moving one (two index entries, and a dead row for vacuum) costs as much as
 * skipping it fifty times.
 */
const PASS_BY_MS_PER_SECOND_MAX = 100;
/** What a claim spends on each job that it finds, about. */
const CLAIM_MS_PER_JOB = 0.1;
const BACKLOGS_MAX = 1_000;
/** Accounts of which a change is remembered for as long as a claim is being read. */
const CHANGES_MAX = 1_000;
/** How often the backlogs that other processes have left are looked for. */
const BACKLOGS_LISTED_EVERY_MS = 1_000;

/** Claims due jobs and hands them to the dispatcher. */
export class Claims {
  readonly #deps: ClaimDeps;
  readonly #dispatcher: Dispatcher<ClaimedJob>;
  #last: Promise<unknown> = Promise.resolve();
  #worker: WorkerIdentity | null = null;
  #backlogsListedAtMs = Number.NEGATIVE_INFINITY;
  #passesBy: boolean = true;
  #passedBy = { sinceMs: 0, ms: 0 };
  /** The accounts of which something changed while a claim was being read; null: of all. */
  readonly #changedMeanwhile = new Set<string | null>();

  constructor(deps: ClaimDeps, dispatcher: Dispatcher<ClaimedJob>) {
    this.#deps = deps;
    this.#dispatcher = dispatcher;
  }

  /** Answers how many jobs moved. */
  claimDue(worker: WorkerIdentity): Promise<number> {
    this.#worker = worker;
    return this.#afterLast(() => this.#claim(worker));
  }

  /** Claims for endpoints that have room again: a queue that is being emptied. */
  async refill(): Promise<void> {
    const worker = this.#worker;
    if (worker) await this.#afterLast(() => this.#refill(worker));
  }

  /** One claim at a time: each sees the room that the last one left. */
  #afterLast(work: () => Promise<number>): Promise<number> {
    const claim = this.#last.then(work);
    this.#last = claim.catch(() => {});
    return claim;
  }

  /** What a claim reads of the account just now may be old: a pause, an address, a secret. */
  noteChange(accountId: string | null): void {
    if (this.#changedMeanwhile.size >= CHANGES_MAX) this.#changedMeanwhile.add(null);
    else this.#changedMeanwhile.add(accountId);
  }

  #mayBeOld({ accountId }: ClaimedJob): boolean {
    return this.#changedMeanwhile.has(null) || this.#changedMeanwhile.has(accountId);
  }

  /** Resolves when no claim is under way. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #claim(worker: WorkerIdentity): Promise<number> {
    let moved = 0;
    for (const shard of await shardsDueNow(this.#deps, openJobsDue)) {
      moved += await this.#claimOpen(shard, worker.newLease());
    }
    await this.#listBacklogs();
    return moved + (await this.#claimFromBacklogs(worker));
  }

  async #refill(worker: WorkerIdentity): Promise<number> {
    const left = this.#dispatcher.leftOpenWithRoom();
    let moved = await this.#claimFromBacklogs(worker);
    for (const shard of new Set(left.map((room) => room.shard))) {
      const wanted = left.filter((room) => room.shard === shard);
      // No more than there is room for: what is found is locked, whether it is taken or not.
      const jobs = wanted.reduce((sum, { room }) => sum + room, 0);
      moved += await this.#claimOpen(shard, worker.newLease(), jobs);
    }
    return moved;
  }

  async #claimFromBacklogs(worker: WorkerIdentity): Promise<number> {
    let moved = 0;
    const rooms = this.#sharedOut(this.#dispatcher.backlogsWithRoom());
    for (const shard of new Set(rooms.map((room) => room.shard))) {
      const own = rooms.filter((room) => room.shard === shard);
      moved += await this.#claimBacklogs(shard, worker.newLease(), own);
    }
    return moved;
  }

  async #claimOpen(shard: number, lease: Lease, most = JOBS_PER_CLAIM_MAX): Promise<number> {
    const { capacity, roomOfUnknown } = this.#dispatcher;
    if (capacity === 0) return 0;
    const rooms = this.#dispatcher.knownRooms().filter((room) => room.shard === shard);
    const passedBy = this.#passesBy ? rooms.filter(({ room }) => room === 0) : [];
    const limit = Math.min(JOBS_PER_CLAIM_MAX, most, capacity);
    const startedMs = this.#deps.clock.monotonic();
    const rows = await this.#take(claimOpenJobs, shard, lease, [
      limit,
      ...columnsOf(rooms),
      roomOfUnknown,
      passedBy.map(({ endpointId }) => endpointId),
    ]);
    const tookMs = this.#deps.clock.monotonic() - startedMs;
    this.#noteLeft(rooms, rows, limit);
    const inTheWay = this.#inTheWay(passedBy, startedMs, tookMs - rows.length * CLAIM_MS_PER_JOB);
    this.#passesBy = tookMs < PASS_BY_MS_MAX;
    return rows.length + (await this.#park(shard, inTheWay));
  }

  /** Which endpoints have jobs that a claim left where they are. */
  #noteLeft(rooms: readonly RoomLeft[], rows: readonly JobRow[], limit: number): void {
    const left = rows.filter((row) => row.fate === "left");
    // Those left took places in the claim that others' jobs may have wanted.
    const mayBeMore = left.length > 0 || rows.length >= limit;
    for (const { endpointId, room } of rooms) {
      this.#dispatcher.noteLeftOpen(endpointId, mayBeMore || room === 0);
    }
    for (const row of left) this.#dispatcher.noteLeftOpen(row.endpoint_id, true);
  }

  /** Those whose jobs are better moved out of the way of the next claims. */
  #inTheWay(passedBy: readonly RoomLeft[], nowMs: number, spentMs: number): string[] {
    if (passedBy.length === 0) return [];
    if (nowMs - this.#passedBy.sinceMs > 1_000) this.#passedBy = { sinceMs: nowMs, ms: 0 };
    this.#passedBy.ms += Math.max(0, spentMs);
    const isCostly = this.#passedBy.ms > PASS_BY_MS_PER_SECOND_MAX;
    return passedBy.filter(({ isSlow }) => isSlow || isCostly).map(({ endpointId }) => endpointId);
  }

  /** Moves jobs that a claim passed by out of the way of the next ones. */
  async #park(shard: number, endpointIds: readonly string[]): Promise<number> {
    if (endpointIds.length === 0) return 0;
    const now = new Date(this.#deps.clock.now());
    const values = [shard, now, endpointIds, JOBS_PER_PARK_MAX];
    const rows = await this.#deps.db.query<EndpointColumns>(parkJobs, values);
    this.#noteBacklogs(shard, rows);
    return rows.length;
  }

  #noteBacklogs(shard: number, rows: readonly EndpointColumns[]): void {
    for (const { account_id: accountId, endpoint_id: endpointId } of rows) {
      this.#dispatcher.noteBacklog({ shard, accountId, endpointId });
    }
  }

  async #claimBacklogs(shard: number, lease: Lease, rooms: readonly RoomLeft[]): Promise<number> {
    const rows = await this.#take(claimBacklogJobs, shard, lease, columnsOf(rooms));
    for (const { endpointId, room } of rooms) {
      const found = rows.filter((row) => row.endpoint_id === endpointId).length;
      if (found < room) this.#dispatcher.noteNoBacklog(endpointId);
    }
    return rows.length;
  }

  /** An equal share of one claim for each, so that a long backlog does not keep others waiting. */
  #sharedOut(rooms: readonly RoomLeft[]): RoomLeft[] {
    const most = Math.min(JOBS_PER_CLAIM_MAX, this.#dispatcher.capacity);
    const share = Math.max(1, Math.floor(most / Math.max(1, rooms.length)));
    return rooms.slice(0, most).map((left) => ({ ...left, room: Math.min(left.room, share) }));
  }

  async #take(
    statement: Statement,
    shard: number,
    lease: Lease,
    values: readonly unknown[],
  ): Promise<JobRow[]> {
    const { db, clock } = this.#deps;
    const now = new Date(clock.now());
    const claimedAtMs = clock.monotonic();
    this.#changedMeanwhile.clear();
    const rows = await db.query<JobRow>(statement, [shard, now, lease.by, lease.epoch, ...values]);
    const jobs: ClaimedJob[] = [];
    const paused: JobKey[] = [];
    const expired: JobKey[] = [];
    const doors = new Map<string, Door>();
    for (const row of rows) {
      if (row.fate === "paused") paused.push(keyOf(shard, row, lease));
      if (row.fate !== "claimed") continue;
      const { url, secret } = row;
      if (url !== null && secret !== null) doors.set(row.endpoint_id, { url, secret });
      const door = doors.get(row.endpoint_id);
      assert(door, "The first of an endpoint's claimed jobs says where it is.");
      if (row.type === null) expired.push(keyOf(shard, row, lease));
      else jobs.push(jobOf(shard, row, lease, door, claimedAtMs));
    }
    this.#dispatcher.take(jobs.filter((job) => !this.#mayBeOld(job)));
    const old = jobs.filter((job) => this.#mayBeOld(job));
    if (old.length > 0) await giveBack(this.#deps, old, "open");
    if (paused.length > 0) await hold(this.#deps, shard, paused);
    if (expired.length > 0) await db.query(dropJobs, [shard, ...keysOf(expired)]);
    return rows;
  }

  /** Learns of backlogs that others have left, those who are gone included. */
  async #listBacklogs(): Promise<void> {
    const now = this.#deps.clock.monotonic();
    if (now - this.#backlogsListedAtMs < BACKLOGS_LISTED_EVERY_MS) return;
    this.#backlogsListedAtMs = now;
    for (let shard = 0; shard < this.#deps.shards; shard += 1) {
      const values = [shard, BACKLOGS_MAX];
      this.#noteBacklogs(shard, await this.#deps.db.query<EndpointColumns>(listBacklogs, values));
    }
  }
}

type EndpointColumns = Pick<JobRow, "endpoint_id" | "account_id">;

/** What the fence of a claimed job's row is made of. */
type JobKey = Pick<ClaimedJob, "shard" | "accountId" | "endpointId" | "lease"> & {
  readonly eventId: string;
};

function keyOf(shard: number, row: JobRow, lease: Lease): JobKey {
  return {
    shard,
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    lease,
  };
}

function jobOf(
  shard: number,
  row: JobRow,
  lease: Lease,
  door: Door,
  claimedAtMs: number,
): ClaimedJob {
  const { attempt, created_at, data } = row;
  return {
    shard,
    accountId: row.account_id,
    endpointId: row.endpoint_id,
    lease,
    attempt,
    door,
    claimedAtMs,
    event: { id: row.event_id, seq: 0, type: row.type as EventType, created_at, data },
  };
}

/** Jobs of paused endpoints wait; those of one that was resumed meanwhile are open again. */
async function hold(deps: ClaimDeps, shard: number, keys: readonly JobKey[]): Promise<void> {
  const accounts = [...new Set(keys.map((key) => key.accountId))];
  await deps.db.query(holdJobs, [shard, ...keysOf(keys), accounts]);
  await deps.db.query(giveBackJobs, [shard, ...keysOf(keys), "open"]);
}

/** Gives back jobs that were claimed and not begun. */
export async function giveBack(
  deps: ClaimDeps,
  jobs: readonly ClaimedJob[],
  place: GivenBackTo,
): Promise<void> {
  for (const shard of new Set(jobs.map((job) => job.shard))) {
    const own = jobs.filter((job) => job.shard === shard);
    const keys = own.map((job) => ({ ...job, eventId: job.event.id }));
    await deps.db.query(giveBackJobs, [shard, ...keysOf(keys), place]);
  }
}

/** Drops a job that there is nobody to tell of. */
export async function drop(deps: ClaimDeps, job: ClaimedJob): Promise<void> {
  await deps.db.query(dropJobs, [job.shard, ...keysOf([{ ...job, eventId: job.event.id }])]);
}

function keysOf(keys: readonly JobKey[]): unknown[][] {
  return [
    keys.map((key) => key.eventId),
    keys.map((key) => key.endpointId),
    keys.map((key) => key.lease.by),
    keys.map((key) => key.lease.epoch),
  ];
}

function columnsOf(rooms: readonly RoomLeft[]): [string[], number[]] {
  return [rooms.map((room) => room.endpointId), rooms.map((room) => room.room)];
}
