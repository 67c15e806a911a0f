import { Type } from "typebox";
import type { Queryable } from "../src/core/db/driver/database.ts";
import { composed, sql } from "../src/core/db/driver/sql-builder.ts";
import { defineTask } from "../src/core/queue/task.ts";

/** Tables in which processes of a test record their runs, for other processes to read. */
export const JOURNAL_TABLES = [
  "create table journal (n bigserial, label text, what text, pid integer, at timestamptz default clock_timestamp())",
  "create table gates (label text primary key)",
];

const GATE_POLL_MS = 20;

async function note(db: Queryable, label: string, what: string): Promise<void> {
  await db.query(
    composed(
      "test",
      sql`insert into journal (label, what, pid) values (${label}, ${what}, ${process.pid})`,
    ),
  );
}

/**
 * Records its start, waits for its gate if it has one, and records its end in a transaction that fails once
 * the lease is lost.
 */
export const journalTask = defineTask({
  name: "test.journal",
  payload: Type.Object({ label: Type.String(), waits: Type.Boolean() }),
  retryDelaysSeconds: [1],
  timeoutMs: 120_000,
  async run(deps, { label, waits }, signal, run) {
    await note(deps.db, label, "started");
    while (waits) {
      const gate = await deps.db.query(
        composed("test", sql`select 1 from gates where label = ${label}`),
      );
      if (gate.length > 0) break;
      if (signal.aborted) await note(deps.db, label, "aborted");
      signal.throwIfAborted();
      await deps.clock.sleep(GATE_POLL_MS, signal);
    }
    await deps.db.tx(async (tx) => {
      await run.checkLease(tx);
      await note(tx, label, "ended");
    });
    return "done";
  },
});

/** Kills its process, as the kernel does when memory runs out. */
export const crashTask = defineTask({
  name: "test.crash",
  payload: Type.Object({ label: Type.String() }),
  retryDelaysSeconds: [1],
  timeoutMs: 10_000,
  async run(deps, { label }) {
    await note(deps.db, label, "started");
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
});

export type PoisonTask = typeof crashTask;

const HEAP_CHUNK_ITEMS = 1_000_000;

/** Allocates memory until none is left. */
export const exhaustTask = defineTask({
  name: "test.exhaust",
  payload: Type.Object({ label: Type.String() }),
  retryDelaysSeconds: [1],
  timeoutMs: 60_000,
  async run(deps, { label }) {
    await note(deps.db, label, "started");
    for (const chunks: number[][] = []; ; )
      chunks.push(Array(HEAP_CHUNK_ITEMS).fill(chunks.length + 0.5));
  },
});

export const journalTasks = [journalTask, crashTask, exhaustTask];
