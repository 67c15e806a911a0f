import {
  type AccountImport,
  formatTimestamp,
  type ImportFailure,
  type ImportPhase,
  type ImportProvider,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { type Actor, record } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { PeriodicTask } from "../../core/queue/periodic.ts";
import { executePlan, stepsOf } from "./execute-plan.ts";
import { NOT_COPIED } from "./not-copied.ts";
import { type Plan, planOf } from "./plan.ts";
import { type Credentials, ImportStopped, type Provider } from "./provider.ts";
import { createAsk } from "./provider-client.ts";
import { failImport, failWithoutHeartbeat, finishImport, updateProgress } from "./sql.ts";
import { telnyxProvider } from "./telnyx.ts";
import { twilioProvider } from "./twilio.ts";

/** A run writes a heartbeat at least this often; after SILENT_MS_MAX without one, the service ends it. */
const HEARTBEAT_MS = 5_000;
const SILENT_MS_MAX = 90_000;
const RUN_MS_MAX = 15 * 60_000;

const PROVIDERS: Readonly<Record<ImportProvider, Provider>> = {
  twilio: twilioProvider,
  telnyx: telnyxProvider,
};

export interface ImportRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly provider: ImportProvider;
  readonly dry_run: boolean;
  readonly status: AccountImport["status"];
  readonly phase: ImportPhase;
  readonly done: number;
  readonly total: number | null;
  readonly plan: Pick<AccountImport, "numbers" | "pools" | "webhooks">;
  readonly error_code: ImportFailure | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

type RunKey = Pick<ImportRow, "shard" | "account_id" | "id">;
const SERVICE: Actor = { type: "system", id: null, name: null };

export const EMPTY_PLAN: ImportRow["plan"] = { numbers: [], pools: [], webhooks: [] };

export interface Run {
  readonly row: ImportRow;
  readonly account: AccountRow;
  readonly credentials: Credentials;
  readonly actor: Actor;
  readonly ip: string;
}

/** Import runs of this process. Credentials live in its memory only, as long as the run. */
export interface ImportRuns {
  start(run: Run): void;
  /** Interrupts all runs; each records that in its row. */
  close(): Promise<void>;
}

export function providerOf(name: ImportProvider): Provider {
  return PROVIDERS[name];
}

export function createImportRuns(deps: Base): ImportRuns {
  const ended = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    start(run) {
      const working = work(deps, run, ended.signal).finally(() => running.delete(working));
      running.add(working);
    },
    async close() {
      ended.abort(new ImportStopped("interrupted", INTERRUPTED));
      await Promise.all(running);
    },
  };
}

const INTERRUPTED =
  "The server stopped before the import ended. Start it again: it continues from there.";

/** One run from start to end. Its row always records the outcome. */
async function work(deps: Base, run: Run, ended: AbortSignal): Promise<void> {
  const { row } = run;
  const key = [row.shard, row.account_id, row.id];
  const late = new AbortController();
  const rowEnded = new AbortController();
  const stopWaiting = deps.clock.after(RUN_MS_MAX, () => late.abort());
  const signal = AbortSignal.any([ended, late.signal, rowEnded.signal]);
  try {
    const plan = await planned(deps, run, signal, () => rowEnded.abort(noLongerRunning()));
    const made = row.dry_run ? plan : await executed(deps, run, plan, signal);
    const done = row.dry_run ? 0 : stepsOf(plan);
    const now = new Date(deps.clock.now());
    const values = [...key, done, JSON.stringify(publicPlan(made)), now];
    await deps.db.tx(async (tx) => {
      const ended = await tx.query(finishImport, values);
      if (ended.length > 0) await recordEnd(deps, tx, run, { status: "complete", made: done });
    });
  } catch (error) {
    const { code, message } = failureOf(deps, error, late.signal);
    const values = [...key, code, message, new Date(deps.clock.now())];
    const stored = deps.db.tx(async (tx) => {
      const ended = await tx.query(failImport, values);
      if (ended.length > 0) await recordEnd(deps, tx, run, { status: "failed", error: code });
    });
    await stored.catch((fault: unknown) => {
      deps.log.warn(
        { err: fault, import: toApiId("account_import", row.id) },
        "importer: outcome not stored",
      );
    });
  } finally {
    stopWaiting();
  }
}

/**
 * Records the end in the audit log. The actor started the run, or is the service for a run without a
 * heartbeat.
 */
async function recordEnd(
  deps: Base,
  tx: Tx,
  { row, actor, ip }: Pick<Run, "actor"> & { row: RunKey; ip: string | null },
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(deps, tx, {
    shard: row.shard,
    accountId: row.account_id,
    action: "import.finished",
    actor,
    targetId: toApiId("account_import", row.id),
    changes,
    ip,
  });
}

/**
 * Reads the whole account before creating anything, so that a failure while reading leaves nothing behind.
 */
async function planned(
  deps: Base,
  { row, account, credentials }: Run,
  signal: AbortSignal,
  onEnded: () => void,
) {
  const provider = providerOf(row.provider);
  const instead =
    row.provider === "twilio" ? deps.config.importTwilioUrl : deps.config.importTelnyxUrl;
  const ask = createAsk(deps, provider.title, (path) => instead ?? provider.baseOf(path), signal);
  const progress = createProgressWriter(deps, row, onEnded);
  const stopHeartbeat = every(deps, HEARTBEAT_MS, progress.repeat);
  try {
    const found = await provider.read({
      credentials,
      ask,
      onNumbers: (count) => void progress.report("reading", count, null),
    });
    await progress.settled();
    return await planOf(deps, account, row.provider, found);
  } finally {
    stopHeartbeat();
  }
}

/** Calls `call` every `ms` until the returned function is called. */
function every(deps: Base, ms: number, call: () => unknown): () => void {
  let stop = () => {};
  const next = () => {
    stop = deps.clock.after(ms, () => {
      call();
      next();
    });
  };
  next();
  return () => stop();
}

async function executed(deps: Base, run: Run, plan: Plan, signal: AbortSignal): Promise<Plan> {
  const { row, account, actor, ip } = run;
  const total = stepsOf(plan);
  const reportStep = async (done: number) => {
    signal.throwIfAborted();
    const now = new Date(deps.clock.now());
    const values = [row.shard, row.account_id, row.id, "writing", done, total, now];
    const [updated] = await deps.db.query(updateProgress, values);
    if (!updated) throw noLongerRunning();
  };
  await reportStep(0);
  return executePlan(deps, plan, {
    account,
    provider: row.provider,
    actor,
    ip,
    onStep: reportStep,
  });
}

/** The row no longer runs: canceled, or ended for lack of a heartbeat. Another run may be under way. */
function noLongerRunning(): ImportStopped {
  return new ImportStopped("interrupted", INTERRUPTED);
}

/** Reports progress to the row. One write is in progress at a time; updates in between are merged. */
function createProgressWriter(deps: Base, row: ImportRow, onEnded: () => void) {
  let last: readonly [ImportPhase, number, number | null] = ["reading", 0, null];
  let writing: Promise<unknown> = Promise.resolve();
  let isWriting = false;
  const write = (): Promise<unknown> => {
    if (isWriting) return writing;
    isWriting = true;
    const values = [row.shard, row.account_id, row.id, ...last, new Date(deps.clock.now())];
    writing = deps.db
      .query(updateProgress, values)
      .then((updated) => {
        if (updated.length === 0) onEnded();
      })
      .catch((error: unknown) =>
        deps.log.warn(
          { err: error, import: toApiId("account_import", row.id) },
          "importer: progress not stored",
        ),
      )
      .finally(() => {
        isWriting = false;
      });
    return writing;
  };
  return {
    report: (...progress: [ImportPhase, number, number | null]) => {
      last = progress;
      return write();
    },
    repeat: write,
    settled: () => writing,
  };
}

function failureOf(
  deps: Base,
  error: unknown,
  late: AbortSignal,
): { code: ImportFailure; message: string } {
  if (error instanceof ImportStopped) return error;
  if (late.aborted) {
    const message =
      "The import took longer than 15 minutes. Start it again: it continues from there.";
    return { code: "provider_unavailable", message };
  }
  deps.log.error({ err: error }, "importer: import failed");
  const message =
    "The import failed because of an error in the server. Start it again: it continues from there.";
  return { code: "internal", message };
}

/** The part of a plan that the API shows. */
function publicPlan({ numbers, pools, webhooks }: Plan): ImportRow["plan"] {
  return {
    numbers: numbers.map(({ phone_number, action, reason }) => ({ phone_number, action, reason })),
    pools: pools.map(({ foreignId: _, phones: __, ...shown }) => shown),
    webhooks: [...webhooks],
  };
}

/** Ends runs whose process died. */
export const failLostImports: PeriodicTask = {
  name: "importer.fail_silent",
  everySeconds: 60,
  missedPeriods: "upkeep",
  async run(deps) {
    for (let shard = 0; shard < deps.shards; shard += 1) await endLostRuns(deps, shard);
  },
};

export async function endLostRuns(deps: Base, shard: number): Promise<void> {
  const now = deps.clock.now();
  const values = [shard, new Date(now - SILENT_MS_MAX), INTERRUPTED, new Date(now)];
  await deps.db.tx(async (tx) => {
    const ended = await tx.query<{ account_id: string; id: string }>(failWithoutHeartbeat, values);
    // Accounts are locked in one order to avoid deadlocks.
    const inOrder = ended.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1));
    for (const row of inOrder) {
      const run = { row: { shard, ...row }, actor: SERVICE, ip: null };
      await recordEnd(deps, tx, run, { status: "failed", error: "interrupted" });
    }
  });
}

export function presentImport(row: ImportRow): AccountImport {
  const { error_code: code, error_message: message } = row;
  return {
    id: toApiId("account_import", row.id),
    object: "account_import",
    provider: row.provider,
    dry_run: row.dry_run,
    status: row.status,
    progress: { phase: row.phase, done: row.done, total: row.total },
    ...row.plan,
    not_copied: NOT_COPIED,
    error: code === null || message === null ? null : { code, message },
    created_at: formatTimestamp(row.created_at),
    ended_at: row.ended_at === null ? null : formatTimestamp(row.ended_at),
  };
}
