import { AUTOMATION_RUN_MOVES, type FailureCode, KEY_MODES } from "@longwave/contract";
import { type AccountRow, readAccounts } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { eventGroupStep } from "../../events/log/index.ts";
import { optedOutAmong } from "../../people/consent/index.ts";
import { type ContactRow, lockForChanges, readContactById } from "../../people/contacts/index.ts";
import { lockAccounts } from "../messages/index.ts";
import {
  acceptDue,
  type DueOutcome,
  type OutboundRequest,
  prepareDue,
  type Submission,
  type WindowSlots,
} from "../outbound/index.ts";
import type { AutomationsDeps } from "./deps.ts";
import { executeSteps } from "./execute-steps.ts";
import { isContactStep } from "./program.ts";
import { createRunCursor, type RunCursor, type Stop } from "./run-cursor.ts";
import { runEvent } from "./run-events.ts";
import type { RunRow } from "./run-row.ts";
import { readAutomationStates, writeRuns } from "./sql.ts";

/** Rows read for a chunk of runs before it executes. */
interface ChunkData {
  readonly accounts: ReadonlyMap<string, AccountRow>;
  readonly automations: ReadonlyMap<string, "active" | "paused">;
  readonly contacts: ReadonlyMap<string, ContactRow>;
  /** Ids of the runs whose contact has opted out. */
  readonly optedOut: ReadonlySet<string>;
}

/** Executes each of the locked runs until it stops; returns the messages left to submit. */
export async function stepRuns(
  deps: AutomationsDeps,
  tx: Tx,
  shard: number,
  runs: readonly RunRow[],
  slots: WindowSlots,
  now: number,
): Promise<Submission[]> {
  if (runs.length === 0) return [];
  const mayWrite = await writesContacts(deps, runs);
  if (mayWrite) lockAll(tx, shard, runs);
  const data = await readChunkData(tx, shard, runs);
  const cursors: RunCursor[] = [];
  const sending: { readonly cursor: RunCursor; readonly request: OutboundRequest }[] = [];
  for (const run of runs) {
    const cursor = createRunCursor(run, contactOf(data, run), now);
    cursors.push(cursor);
    const account = expect(data.accounts.get(run.account_id), "a run has no account");
    const stop = stopBeforeStep(data, run);
    if (stop !== null) cursor.stop = stop;
    else
      cursor.stop = await executeSteps(deps, tx, account, cursor, {
        maySend: true,
        mayWrite,
      });
    if (cursor.stop.kind === "send") {
      sending.push({ cursor, request: cursor.stop.request });
    }
  }
  const requests = sending.map(({ request }) => request);
  const prepared = await prepareDue(deps, tx, shard, requests, slots);
  // Locks all accounts up front, in one order: later events lock the accounts of runs that send nothing.
  if (!mayWrite) await tx.query(lockAccounts, [shard, accountsOf(runs)]);
  const options = { skipsOptedOut: false };
  const { outcomes, submissions } = await acceptDue(deps, tx, shard, prepared, slots, options);
  for (const [index, { cursor, request }] of sending.entries()) {
    const outcome = outcomes[index] as DueOutcome;
    await afterSend(deps, tx, request.account, cursor, outcome, mayWrite);
  }
  await write(deps, tx, shard, cursors, now);
  return submissions;
}

/** Fails a run whose execution throws by itself. */
export async function failStep(
  deps: AutomationsDeps,
  tx: Tx,
  shard: number,
  run: RunRow,
  now: number,
): Promise<void> {
  const cursor = createRunCursor(run, null, now);
  cursor.stop = failed("internal_error");
  await tx.query(lockAccounts, [shard, [run.account_id]]);
  await write(deps, tx, shard, [cursor], now);
}

/** Whether the next step of any run writes to its contact. */
async function writesContacts(deps: AutomationsDeps, runs: readonly RunRow[]): Promise<boolean> {
  for (const run of runs) {
    const program = run.position === null ? null : await deps.automations.programOf(run);
    const step = program?.steps.get(run.position ?? "");
    if (step !== undefined && isContactStep(step)) return true;
  }
  return false;
}

function accountsOf(runs: readonly RunRow[]): string[] {
  return [...new Set(runs.map((run) => run.account_id))];
}

/**
 * Locks the accounts and contacts of all runs before it changes any, to avoid deadlocks: runs execute in due
 * order, and imports lock contacts in the order of their numbers.
 */
function lockAll(tx: Tx, shard: number, runs: readonly RunRow[]): void {
  const accountIds = accountsOf(runs);
  tx.send(lockAccounts, [shard, accountIds]);
  for (const id of accountIds) {
    const own = runs.filter((run) => run.account_id === id);
    lockForChanges(tx, { shard, id }, [...new Set(own.flatMap((run) => run.contact_id ?? []))]);
  }
}

async function readChunkData(tx: Tx, shard: number, runs: readonly RunRow[]): Promise<ChunkData> {
  const idsOf = (pick: (run: RunRow) => string) => [...new Set(runs.map(pick))];
  const accountIds = accountsOf(runs);
  const contacts = await Promise.all(
    runs.map((run) =>
      run.contact_id === null
        ? null
        : readContactById(tx, { shard, id: run.account_id }, run.contact_id),
    ),
  );
  // Consent is that of the number which the contact has now.
  const phoneOf = new Map(
    runs.map((run, index) => [run.id, contacts[index]?.phone_number ?? run.phone_number]),
  );
  const [accounts, states, ...optedOut] = await Promise.all([
    readAccounts(tx, accountIds),
    tx.query<{ id: string; status: "active" | "paused" }>(readAutomationStates, [
      shard,
      idsOf((run) => run.automation_id),
    ]),
    ...accountIds
      .flatMap((id) => KEY_MODES.map((mode) => ({ id, mode })))
      .map(async ({ id, mode }) => {
        const own = runs.filter((run) => run.account_id === id && run.mode === mode);
        if (own.length === 0) return [];
        const phones = [...new Set(own.map((run) => phoneOf.get(run.id) ?? run.phone_number))];
        const silent = await optedOutAmong(tx, { shard, id, mode }, phones, null);
        return own
          .filter((run) => silent.has(phoneOf.get(run.id) ?? run.phone_number))
          .map((run) => run.id);
      }),
  ]);
  return {
    accounts,
    automations: new Map(states.map((row) => [row.id, row.status])),
    contacts: new Map(
      contacts.flatMap((row, index) => (row ? [[(runs[index] as RunRow).id, row]] : [])),
    ),
    optedOut: new Set(optedOut.flat()),
  };
}

function contactOf({ contacts }: ChunkData, run: RunRow): ContactRow | null {
  return contacts.get(run.id) ?? null;
}

/** Reason to stop a run before its next step, whatever the step; null to continue. */
function stopBeforeStep(data: ChunkData, run: RunRow): Stop | null {
  const status = data.automations.get(run.automation_id);
  if (status === undefined) return failed("automation_deleted");
  if (run.message_failure !== null) return failed(run.message_failure);
  if (run.contact_id !== null && !data.contacts.has(run.id)) return failed("contact_deleted");
  if (data.optedOut.has(run.id)) return failed("recipient_opted_out");
  return status === "paused" && !run.is_test ? { kind: "pause" } : null;
}

function failed(reason: string): Stop {
  return { kind: "end", move: "fail", reason };
}

/** Executes the steps after an accepted message, up to the next send; fails the run after a refused one. */
async function afterSend(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  cursor: RunCursor,
  outcome: DueOutcome,
  mayWrite: boolean,
): Promise<void> {
  const { stop } = cursor;
  if (stop?.kind !== "send") return;
  const failure = failureOf(outcome);
  cursor.note(failure === null ? "sent" : "failed", failure, outcome.message?.row.id ?? null);
  if (failure !== null) cursor.stop = failed(failure);
  else {
    cursor.position = stop.next;
    cursor.stop = await executeSteps(deps, tx, account, cursor, {
      maySend: false,
      mayWrite,
    });
  }
}

function failureOf({ message, failure }: DueOutcome): FailureCode | null {
  return failure ?? (message?.row.status === "failed" ? message.row.failure_code : null);
}

async function write(
  deps: AutomationsDeps,
  tx: Tx,
  shard: number,
  cursors: readonly RunCursor[],
  now: number,
): Promise<void> {
  const rows = cursors.map((cursor) => cursor.after(now));
  await tx.query(writeRuns, [shard, JSON.stringify(rows), new Date(now)]);
  const events = cursors.flatMap(({ run, stop, events: stepEvents }) => {
    if (stop?.kind !== "end") return stepEvents;
    return [...stepEvents, runEvent(AUTOMATION_RUN_MOVES[stop.move].emits, run, stop.reason)];
  });
  const appendStep = eventGroupStep(deps, shard, events);
  if (appendStep) await tx.query(appendStep.statement, appendStep.values);
}
