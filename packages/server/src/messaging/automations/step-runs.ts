import { AUTOMATION_RUN_MOVES, type FailureCode } from "@longwave/contract";
import { type AccountRow, readAccounts } from "../accounts/index.ts";
import { optedOutAmong } from "../consent/index.ts";
import { type ContactRow, lockForChanges, readContactById } from "../contacts/index.ts";
import type { Tx } from "../db/database.ts";
import { eventGroupStep } from "../events/index.ts";
import {
  acceptIn,
  type Composed,
  compose,
  type HandOver,
  handOversOf,
  lockAccounts,
  type Places,
  type Verdict,
} from "../handover/index.ts";
import { expect } from "../platform/assert.ts";
import type { AutomationsDeps } from "./deps.ts";
import { proceed } from "./proceed.ts";
import { isContactStep } from "./program.ts";
import { runEvent } from "./run-events.ts";
import type { RunRow } from "./run-row.ts";
import { readAutomationStates, writeRuns } from "./sql.ts";
import { createTraveller, type Stop, type Traveller } from "./traveller.ts";

/** What is known of a chunk of runs before their turns begin. */
interface Known {
  readonly accounts: ReadonlyMap<string, AccountRow>;
  readonly automations: ReadonlyMap<string, "active" | "paused">;
  readonly contacts: ReadonlyMap<string, ContactRow>;
  /** Ids of the runs whose contact has opted out. */
  readonly optedOut: ReadonlySet<string>;
}

/** One turn of each of these runs, whose rows are locked; answers what is left to hand over. */
export async function takeTurns(
  deps: AutomationsDeps,
  tx: Tx,
  shard: number,
  runs: readonly RunRow[],
  places: Places,
  now: number,
): Promise<HandOver[]> {
  if (runs.length === 0) return [];
  const mayWrite = await writesContacts(deps, runs);
  if (mayWrite) lockAll(tx, shard, runs);
  const known = await readKnown(tx, shard, runs);
  const travellers: Traveller[] = [];
  const composed: { traveller: Traveller; text: Composed }[] = [];
  for (const run of runs) {
    const traveller = createTraveller(run, contactOf(known, run), now);
    travellers.push(traveller);
    const account = expect(known.accounts.get(run.account_id), "a run has no account");
    const ended = hindranceOf(known, run);
    if (ended !== null) traveller.stop = ended;
    else traveller.stop = await proceed(deps, tx, account, traveller, { maySend: true, mayWrite });
    if (traveller.stop.kind !== "text") continue;
    composed.push({ traveller, text: await compose(deps, traveller.stop.wanted, places) });
  }
  const texts = composed.map(({ text }) => text);
  // All of them first and in one order: events lock the accounts of runs that send nothing.
  if (!mayWrite) await tx.query(lockAccounts, [shard, accountsOf(runs)]);
  const accepted = texts.length === 0 ? [] : await acceptIn(deps, tx, shard, texts);
  for (const [index, { verdict }] of accepted.entries()) {
    const { traveller, text } = composed[index] as (typeof composed)[number];
    const account = expect(known.accounts.get(traveller.run.account_id), "a run has no account");
    await afterText(deps, tx, account, traveller, text, verdict, mayWrite);
  }
  await write(deps, tx, shard, travellers, now);
  return handOversOf(texts, accepted, places);
}

/** A turn that cannot be taken, whatever the matter: the run ends there. */
export async function failTurn(
  deps: AutomationsDeps,
  tx: Tx,
  shard: number,
  run: RunRow,
  now: number,
): Promise<void> {
  const traveller = createTraveller(run, null, now);
  traveller.stop = failed("internal_error");
  await tx.query(lockAccounts, [shard, [run.account_id]]);
  await write(deps, tx, shard, [traveller], now);
}

/** Whether one of these runs stands before a step that writes to its contact. */
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
 * Locks the accounts and every contact of these runs, before any is changed: runs have their turns in
 * the order they fell due, and imports lock people in the order of their numbers.
 */
function lockAll(tx: Tx, shard: number, runs: readonly RunRow[]): void {
  const accountIds = accountsOf(runs);
  tx.send(lockAccounts, [shard, accountIds]);
  for (const id of accountIds) {
    const own = runs.filter((run) => run.account_id === id);
    lockForChanges(tx, { shard, id }, [...new Set(own.flatMap((run) => run.contact_id ?? []))]);
  }
}

async function readKnown(tx: Tx, shard: number, runs: readonly RunRow[]): Promise<Known> {
  const idsOf = (pick: (run: RunRow) => string) => [...new Set(runs.map(pick))];
  const accountIds = accountsOf(runs);
  const [accounts, states, contacts, ...optedOut] = await Promise.all([
    readAccounts(tx, accountIds),
    tx.query<{ id: string; status: "active" | "paused" }>(readAutomationStates, [
      shard,
      idsOf((run) => run.automation_id),
    ]),
    Promise.all(
      runs.map((run) =>
        run.contact_id === null
          ? null
          : readContactById(tx, { shard, id: run.account_id }, run.contact_id),
      ),
    ),
    ...accountIds.map(async (id) => {
      const own = runs.filter((run) => run.account_id === id);
      const phones = [...new Set(own.map((run) => run.phone_number))];
      const silent = await optedOutAmong(tx, { shard, id }, phones, null);
      return own.filter((run) => silent.has(run.phone_number)).map((run) => run.id);
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

function contactOf({ contacts }: Known, run: RunRow): ContactRow | null {
  return contacts.get(run.id) ?? null;
}

/** What keeps a run from going on, whatever its next step is. */
function hindranceOf(known: Known, run: RunRow): Stop | null {
  const status = known.automations.get(run.automation_id);
  if (status === undefined) return failed("automation_deleted");
  if (run.text_failure !== null) return failed(run.text_failure);
  if (run.contact_id !== null && !known.contacts.has(run.id)) return failed("contact_deleted");
  if (known.optedOut.has(run.id)) return failed("recipient_opted_out");
  return status === "paused" && !run.is_test ? { kind: "hold" } : null;
}

function failed(reason: string): Stop {
  return { kind: "end", move: "fail", reason };
}

/** A text that was taken leads on; what follows is done right here, up to the next text. */
async function afterText(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  traveller: Traveller,
  text: Composed,
  verdict: Verdict,
  mayWrite: boolean,
): Promise<void> {
  const { stop } = traveller;
  if (stop?.kind !== "text") return;
  const failure = failureOf(verdict, text);
  const messageId = verdict === "accepted" ? text.row.id : null;
  traveller.note(failure === null ? "sent" : "failed", failure, messageId);
  if (failure !== null) traveller.stop = failed(failure);
  else {
    traveller.position = stop.next;
    traveller.stop = await proceed(deps, tx, account, traveller, {
      maySend: false,
      mayWrite,
    });
  }
}

function failureOf(verdict: Verdict, text: Composed): FailureCode | null {
  if (verdict === "accepted") {
    return text.row.status === "failed" ? text.row.failure_code : null;
  }
  return verdict === "duplicate" ? "sender_unavailable" : verdict;
}

async function write(
  deps: AutomationsDeps,
  tx: Tx,
  shard: number,
  travellers: readonly Traveller[],
  now: number,
): Promise<void> {
  const rows = travellers.map((traveller) => traveller.after(now));
  await tx.query(writeRuns, [shard, JSON.stringify(rows), new Date(now)]);
  const events = travellers.flatMap(({ run, stop, events: told }) => {
    if (stop?.kind !== "end") return told;
    return [...told, runEvent(AUTOMATION_RUN_MOVES[stop.move].emits, run, stop.reason)];
  });
  const told = eventGroupStep(deps, shard, events);
  if (told) await tx.query(told.statement, told.values);
}
