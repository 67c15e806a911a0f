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
import { carryOut, stepsOf } from "./execute-plan.ts";
import { type Plan, planOf } from "./plan.ts";
import { type Credentials, ImportStopped, type Provider } from "./provider.ts";
import { createAsk } from "./provider-client.ts";
import { failImport, failSilent, finishImport, noteProgress } from "./sql.ts";
import { telnyxProvider } from "./telnyx.ts";
import { twilioProvider } from "./twilio.ts";

/** A run says at least this often that it is alive, and is given up for lost after the other. */
const HEARD_EVERY_MS = 5_000;
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

/** The imports that this process carries out. Their credentials live here alone, as long as they run. */
export interface ImportRuns {
  start(run: Run): void;
  /** Ends those under way; each says of itself that it was interrupted. */
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

const INTERRUPTED = "The server stopped before it was done. Start it again: it goes on from there.";

/** One run from its start to its end. Whatever happens, its row says how it ended. */
async function work(deps: Base, run: Run, ended: AbortSignal): Promise<void> {
  const { row } = run;
  const key = [row.shard, row.account_id, row.id];
  const late = new AbortController();
  const unheard = new AbortController();
  const stopWaiting = deps.clock.after(RUN_MS_MAX, () => late.abort());
  const signal = AbortSignal.any([ended, late.signal, unheard.signal]);
  try {
    const plan = await planned(deps, run, signal, () => unheard.abort(unheardOf()));
    const made = row.dry_run ? plan : await carriedOut(deps, run, plan, signal);
    const done = row.dry_run ? 0 : stepsOf(plan);
    const now = new Date(deps.clock.now());
    const values = [...key, done, JSON.stringify(shownPlan(made)), now];
    await deps.db.tx(async (tx) => {
      const ended = await tx.query(finishImport, values);
      if (ended.length > 0) await recordEnd(deps, tx, run, { status: "complete", made: done });
    });
  } catch (error) {
    const { code, message } = stoppedBy(deps, error, late.signal);
    const values = [...key, code, message, new Date(deps.clock.now())];
    const told = deps.db.tx(async (tx) => {
      const ended = await tx.query(failImport, values);
      if (ended.length > 0) await recordEnd(deps, tx, run, { status: "failed", error: code });
    });
    await told.catch((fault: unknown) => {
      deps.log.warn({ err: fault }, "the end of an import was not written; it is found silent");
    });
  } finally {
    stopWaiting();
  }
}

/** Who started it has ended it, unless nobody heard of it any more: then the service did. */
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

/** Reads the whole account before anything is made: what fails half-way leaves nothing half made. */
async function planned(
  deps: Base,
  { row, account, credentials }: Run,
  signal: AbortSignal,
  onUnheard: () => void,
) {
  const provider = providerOf(row.provider);
  const instead =
    row.provider === "twilio" ? deps.config.importTwilioUrl : deps.config.importTelnyxUrl;
  const ask = createAsk(deps, provider.title, (path) => instead ?? provider.baseOf(path), signal);
  const teller = createTeller(deps, row, onUnheard);
  const stopTelling = every(deps, HEARD_EVERY_MS, teller.repeat);
  try {
    const found = await provider.read({
      credentials,
      ask,
      onNumbers: (count) => void teller.tell("reading", count, null),
    });
    await teller.settled();
    return await planOf(deps, account, row.provider, found);
  } finally {
    stopTelling();
  }
}

/** Calls back again and again, until what it returns is called. */
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

async function carriedOut(deps: Base, run: Run, plan: Plan, signal: AbortSignal): Promise<Plan> {
  const { row, account, actor, ip } = run;
  const total = stepsOf(plan);
  const say = async (done: number) => {
    signal.throwIfAborted();
    const now = new Date(deps.clock.now());
    const values = [row.shard, row.account_id, row.id, "writing", done, total, now];
    const [heard] = await deps.db.query(noteProgress, values);
    if (!heard) throw unheardOf();
  };
  await say(0);
  return carryOut(deps, plan, { account, provider: row.provider, actor, ip, onStep: say });
}

/** Canceled; or given up for lost, and then another run may be at it that knows better what there is. */
function unheardOf(): ImportStopped {
  return new ImportStopped("interrupted", INTERRUPTED);
}

/** Tells how far a run has come, a few times a second at most. */
function createTeller(deps: Base, row: ImportRow, onUnheard: () => void) {
  let last: readonly [ImportPhase, number, number | null] = ["reading", 0, null];
  let writing: Promise<unknown> = Promise.resolve();
  let isWriting = false;
  const write = (): Promise<unknown> => {
    if (isWriting) return writing;
    isWriting = true;
    const values = [row.shard, row.account_id, row.id, ...last, new Date(deps.clock.now())];
    writing = deps.db
      .query(noteProgress, values)
      .then((heard) => {
        if (heard.length === 0) onUnheard();
      })
      .catch((error: unknown) => deps.log.warn({ err: error }, "an import's progress was not told"))
      .finally(() => {
        isWriting = false;
      });
    return writing;
  };
  return {
    tell: (...progress: [ImportPhase, number, number | null]) => {
      last = progress;
      return write();
    },
    repeat: write,
    settled: () => writing,
  };
}

function stoppedBy(
  deps: Base,
  error: unknown,
  late: AbortSignal,
): { code: ImportFailure; message: string } {
  if (error instanceof ImportStopped) return error;
  if (late.aborted) {
    const message = "It took longer than 15 minutes. Start it again: it goes on from there.";
    return { code: "provider_unavailable", message };
  }
  deps.log.error({ err: error }, "an import failed by a fault of ours");
  const message = "Something went wrong on our side. Start it again: it goes on from there.";
  return { code: "internal", message };
}

/** What of a plan is shown. */
function shownPlan({ numbers, pools, webhooks }: Plan): ImportRow["plan"] {
  return {
    numbers: numbers.map(({ phone_number, action, reason }) => ({ phone_number, action, reason })),
    pools: pools.map(({ foreignId: _, phones: __, ...shown }) => shown),
    webhooks: [...webhooks],
  };
}

/** Ends the runs of processes that are gone. */
export const failSilentImports: PeriodicTask = {
  name: "importer.fail_silent",
  everySeconds: 60,
  missedPeriods: "upkeep",
  async run(deps) {
    for (let shard = 0; shard < deps.shards; shard += 1) await endSilent(deps, shard);
  },
};

export async function endSilent(deps: Base, shard: number): Promise<void> {
  const now = deps.clock.now();
  const values = [shard, new Date(now - SILENT_MS_MAX), INTERRUPTED, new Date(now)];
  await deps.db.tx(async (tx) => {
    const ended = await tx.query<{ account_id: string; id: string }>(failSilent, values);
    // Accounts are locked in one order by everybody.
    const inOrder = ended.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1));
    for (const row of inOrder) {
      const run = { row: { shard, ...row }, actor: SERVICE, ip: null };
      await recordEnd(deps, tx, run, { status: "failed", error: "interrupted" });
    }
  });
}

const NOT_COPIED = [
  "Message history stays with the other provider.",
  "Contacts are not copied: bring them over with POST /v1/contacts/import.",
  "Templates are not copied.",
  "Opt-outs are not copied: bring them over with POST /v1/consent/import before you send.",
];

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
