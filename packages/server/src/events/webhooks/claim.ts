import type { EventType } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { assert } from "../../core/platform/assert.ts";
import { type Lease, shardsDueNow, type WorkerIdentity } from "../../core/queue/lane.ts";
import type { EventRow } from "../log/index.ts";
import type { Dispatchable, Dispatcher } from "./dispatcher.ts";
import { type ClaimRow, claimJobs, dropJobs, releaseJobs, waitingJobs } from "./job-sql.ts";

export type ClaimDeps = Pick<Base, "db" | "clock" | "shards">;

/** A job that this process has a lease on. */
export interface ClaimedJob extends Dispatchable {
  readonly lease: Lease;
  readonly attempt: number;
  readonly target: EndpointTarget;
  readonly event: EventRow;
}

/** An endpoint's address and secret: one object for all its jobs of one claim. */
export interface EndpointTarget {
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
}

const JOBS_PER_CLAIM_MAX = 500;
const CHANGES_MAX = 1_000;
const FIRST_ENDPOINT = "00000000-0000-0000-0000-000000000000";

/** Claims due jobs for the dispatcher, one claim at a time: each reads the slots that the last one left. */
export class Claims {
  readonly #deps: ClaimDeps;
  readonly #dispatcher: Dispatcher<ClaimedJob>;
  #last: Promise<unknown> = Promise.resolve();
  #worker: WorkerIdentity | null = null;
  /** Claims start at different endpoints in rotation, because a claim may fill up before it reaches the last. */
  #afterEndpoint: string = FIRST_ENDPOINT;
  /** Accounts that changed during a claim (null: any). */
  readonly #changed = new Set<string | null>();

  constructor(deps: ClaimDeps, dispatcher: Dispatcher<ClaimedJob>) {
    this.#deps = deps;
    this.#dispatcher = dispatcher;
  }

  /** Makes one claim; returns how many jobs moved. */
  claimDue(worker: WorkerIdentity): Promise<number> {
    this.#worker = worker;
    const claim = this.#last.then(() => this.#claim(worker));
    this.#last = claim.catch(() => {});
    return claim;
  }

  /** Claims for the worker of the last claim, again if the claim filled up before the last endpoint. */
  async refill(): Promise<void> {
    while (this.#worker && (await this.claimDue(this.#worker)) >= JOBS_PER_CLAIM_MAX);
  }

  /** A claim in progress may have read an older state of the account's endpoints. */
  noteChange(accountId: string | null): void {
    this.#changed.add(this.#changed.size < CHANGES_MAX ? accountId : null);
  }

  /** Resolves when no claim is in progress. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async #claim(worker: WorkerIdentity): Promise<number> {
    let moved = 0;
    for (const shard of new Set(await shardsDueNow(this.#deps, waitingJobs))) {
      moved += await this.#claimShard(shard, worker.newLease());
    }
    return moved;
  }

  async #claimShard(shard: number, lease: Lease): Promise<number> {
    const { db, clock } = this.#deps;
    const limit = Math.min(JOBS_PER_CLAIM_MAX, this.#dispatcher.capacity);
    if (limit === 0) return 0;
    const offered = this.#dispatcher.freeSlots().filter((free) => free.shard === shard);
    const claimedAtMs = clock.monotonic();
    this.#changed.clear();
    const rows = await db.query<ClaimRow>(claimJobs, [
      shard,
      new Date(clock.now()),
      lease.by,
      lease.epoch,
      limit,
      offered.map(({ endpointId }) => endpointId),
      offered.map(({ slots }) => slots),
      this.#dispatcher.slotsOfUnknown,
      this.#afterEndpoint,
    ]);
    this.#afterEndpoint = rows.at(-1)?.endpoint_id ?? FIRST_ENDPOINT;
    const jobs = jobsOf(rows, { shard, lease, claimedAtMs });
    const isStale = ({ accountId }: ClaimedJob) =>
      this.#changed.has(null) || this.#changed.has(accountId);
    this.#dispatcher.take(
      jobs.filter((job) => !isStale(job)),
      offered,
    );
    await release(this.#deps, jobs.filter(isStale));
    return (rows[0]?.retries_due ?? 0) + rows.filter(({ fate }) => fate !== null).length;
  }
}

function jobsOf(
  rows: readonly ClaimRow[],
  claim: Pick<ClaimedJob, "shard" | "lease" | "claimedAtMs">,
): ClaimedJob[] {
  const { shard, lease, claimedAtMs } = claim;
  const targets = new Map<string, EndpointTarget>();
  const jobs: ClaimedJob[] = [];
  for (const row of rows) {
    const { account_id: accountId, endpoint_id: endpointId, url, secret, attempt } = row;
    if (row.fate !== "claimed") continue;
    if (url !== null && secret !== null) targets.set(endpointId, { url, secret });
    const target = targets.get(endpointId);
    assert(target, "The first of an endpoint's claimed jobs has its address.");
    const { event_id: id, mode, created_at, data } = row;
    const event = { id, seq: 0, type: row.type as EventType, mode, created_at, data };
    jobs.push({ shard, accountId, endpointId, lease, attempt, target, claimedAtMs, event });
  }
  return jobs;
}

/** Ends the leases of jobs without an attempt. */
export async function release(deps: ClaimDeps, jobs: readonly ClaimedJob[]): Promise<void> {
  for (const shard of new Set(jobs.map((job) => job.shard))) {
    const own = jobs.filter((job) => job.shard === shard);
    await deps.db.query(releaseJobs, leasesOf(shard, own));
  }
}

/** Deletes a job that has nothing to send. */
export async function drop(deps: ClaimDeps, job: ClaimedJob): Promise<void> {
  await deps.db.query(dropJobs, leasesOf(job.shard, [job]));
}

function leasesOf(shard: number, jobs: readonly ClaimedJob[]): unknown[] {
  return [
    shard,
    jobs.map((job) => job.event.id),
    jobs.map((job) => job.endpointId),
    jobs.map((job) => job.lease.by),
    jobs.map((job) => job.lease.epoch),
  ];
}
