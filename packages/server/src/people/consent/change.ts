import { IMPLIED_CONSENT_MONTHS, KEY_MODES, type Mode } from "@longwave/contract";
import type { Owner } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { addMonths } from "../../core/platform/clock.ts";
import { ledgerValues } from "./array-columns.ts";
import { chainAfter, entryJson, hashOf } from "./chain.ts";
import {
  type ConsentChange,
  type EntryFields,
  type EntryRow,
  type LedgerOwner,
  type StateRow,
  WHOLE_ACCOUNT,
} from "./consent-row.ts";
import type { ConsentDeps } from "./deps.ts";
import { appendEntries, lockLedger, readNumbers, readStates } from "./sql.ts";
import { decideConsent, stateAfter } from "./states.ts";

/** Outcome of one consent change. */
export interface ConsentResult {
  /** The change affects which messages are allowed, so it emits an event and sends a reply. */
  readonly changed: boolean;
  /** The change added a ledger entry. */
  readonly recorded: boolean;
  /** The change came from an import and would have reversed an opt-out. */
  readonly refused: boolean;
  /** State of the number and customer after the change. */
  readonly state: StateRow | null;
}

/** A number in the ledger: states by customer, and its last entry, which the next one links to. */
interface NumberInLedger {
  readonly states: Map<string, StateRow>;
  last: { readonly number_seq: number; readonly hash: Buffer } | null;
}

/** Ledger state of some numbers, locked until the transaction ends. */
export interface OpenLedger {
  readonly owner: LedgerOwner;
  readonly numbers: ReadonlyMap<string, NumberInLedger>;
  readonly head: { seq: number; hash: Buffer };
}

type NumberRow = StateRow & {
  readonly phone: string;
  readonly last_number_seq: number | null;
  readonly last_hash: Buffer | null;
};

/** Records one change in the ledgers of both modes; returns the result in the mode of `owner`. */
export async function changeConsent(
  deps: ConsentDeps,
  tx: Tx,
  owner: LedgerOwner,
  change: ConsentChange,
): Promise<ConsentResult> {
  const [result] = await changeConsents(deps, tx, owner, [change]);
  return expect(result, "a change has no result");
}

/**
 * Records the account's own changes, in order, in the ledgers of both modes: the API, imports and contacts. Returns
 * the results in the mode of `owner`.
 */
export async function changeConsents(
  deps: ConsentDeps,
  tx: Tx,
  owner: LedgerOwner,
  changes: readonly ConsentChange[],
): Promise<ConsentResult[]> {
  const phones = changes.map((change) => change.phoneNumber);
  return writeBoth(deps, tx, await openLedgers(tx, owner, phones), owner.mode, changes);
}

/** Records what a phone, or its carrier, said in one mode: in the ledger of that mode alone. */
export async function recordFromPhone(
  deps: ConsentDeps,
  tx: Tx,
  owner: LedgerOwner,
  change: ConsentChange,
): Promise<void> {
  await writeChanges(deps, tx, await openLedger(tx, owner, [change.phoneNumber]), [change]);
}

/** Both ledgers of an account, locked until the transaction ends. */
export type OpenLedgers = Readonly<Record<Mode, OpenLedger>>;

export async function openLedgers(
  tx: Tx,
  owner: Owner,
  phoneNumbers: readonly string[],
): Promise<OpenLedgers> {
  const [test, live] = await Promise.all(
    KEY_MODES.map((mode) => openLedger(tx, { ...owner, mode }, phoneNumbers)),
  );
  return {
    test: expect(test, "a ledger was not opened"),
    live: expect(live, "a ledger was not opened"),
  };
}

/** Writes changes into both ledgers; returns the results in one mode. */
export async function writeBoth(
  deps: ConsentDeps,
  tx: Tx,
  ledgers: OpenLedgers,
  mode: Mode,
  changes: readonly ConsentChange[],
): Promise<ConsentResult[]> {
  const results = {
    test: await writeChanges(deps, tx, ledgers.test, changes),
    live: await writeChanges(deps, tx, ledgers.live, changes),
  };
  return results[mode];
}

/**
 * Locks the account's counter row, which serialises consent changes and sends, and reads the state of
 * some numbers. To prevent deadlocks, transactions lock message rows before this row.
 */
export async function openLedger(
  tx: Tx,
  owner: LedgerOwner,
  phoneNumbers: readonly string[],
): Promise<OpenLedger> {
  const account = [owner.shard, owner.accountId, owner.mode];
  const phones = [...new Set(phoneNumbers)];
  // Pipelined, so that the lock is held for one round trip fewer.
  const [[row], known] = await Promise.all([
    tx.query<{ consent_seq: number; consent_hash: Buffer }>(lockLedger, account),
    tx.query<NumberRow>(readNumbers, [...account, phones]),
  ]);
  const { consent_seq, consent_hash } = expect(row, "an account has no counters");
  const numbers = new Map<string, NumberInLedger>();
  for (const found of known) {
    const { phone, last_number_seq, last_hash, ...state } = found;
    const number = numbers.get(phone) ?? { states: new Map<string, StateRow>(), last: null };
    if (state.customer_id !== null) number.states.set(state.customer_id, state);
    if (last_hash && last_number_seq)
      number.last = { number_seq: last_number_seq, hash: last_hash };
    numbers.set(phone, number);
  }
  return { owner, numbers, head: { seq: consent_seq, hash: consent_hash } };
}

/** States of one number by customer. */
export async function statesOf(
  db: Queryable,
  owner: LedgerOwner,
  phoneNumber: string,
): Promise<Map<string, StateRow>> {
  const { shard, accountId, mode } = owner;
  const rows = await db.query<StateRow>(readStates, [shard, accountId, mode, [phoneNumber]]);
  return new Map(rows.map((row) => [row.customer_id, row]));
}

/** Applies changes of numbers that `openLedger` locked. */
export async function writeChanges(
  deps: ConsentDeps,
  tx: Tx,
  ledger: OpenLedger,
  changes: readonly ConsentChange[],
): Promise<ConsentResult[]> {
  const now = deps.clock.now();
  const entries: EntryRow[] = [];
  const optedOut = new Set<string>();
  const results = changes.map((change): ConsentResult => {
    const number = expect(
      ledger.numbers.get(change.phoneNumber),
      "openLedger did not read this number",
    );
    const decision = decideConsent(number.states, change);
    if (decision.records) {
      const entry = nextEntry(deps, ledger, change, number, now);
      entries.push(entry);
      const after = stateAfter(number.states.get(entry.customer_id), entry);
      if (after) number.states.set(entry.customer_id, after);
    }
    const isWholeAccount = change.status === "opted_out" && change.customerId === null;
    if (decision.changed && isWholeAccount) optedOut.add(change.phoneNumber);
    return {
      changed: decision.changed,
      recorded: decision.records,
      refused: decision.refused,
      state: number.states.get(change.customerId ?? WHOLE_ACCOUNT) ?? null,
    };
  });
  write(tx, ledger, entries, now);
  if (optedOut.size > 0) await deps.onOptOut(tx, ledger.owner, [...optedOut]);
  return results;
}

/** Creates the entry of a change, and advances both chains to it. */
function nextEntry(
  deps: ConsentDeps,
  { owner, head }: OpenLedger,
  change: ConsentChange,
  number: NumberInLedger,
  now: number,
): EntryRow {
  const fields: EntryFields = {
    account_id: owner.accountId,
    mode: owner.mode,
    seq: head.seq + 1,
    id: deps.ids.makeAt(now),
    phone_number: change.phoneNumber,
    number_seq: (number.last?.number_seq ?? 0) + 1,
    customer_id: change.customerId ?? WHOLE_ACCOUNT,
    status: change.status,
    source: change.source,
    match: change.match ?? null,
    keyword: change.keyword ?? null,
    note: change.note ?? null,
    given_at: change.givenAtMs ?? null,
    message_id: change.messageId ?? null,
    texted_number: change.textedNumber ?? null,
    carrier: change.carrier ?? null,
    ...validityOf(change, now),
    evidence: change.evidence ?? null,
    recorded_by: change.recordedBy ?? null,
    created_at: now,
    previous_hash: number.last?.hash ?? null,
  };
  const hash = hashOf(entryJson(fields));
  head.seq = fields.seq;
  head.hash = chainAfter(head.hash, hash);
  number.last = { number_seq: fields.number_seq, hash };
  return { ...fields, hash, chain_hash: head.hash };
}

/** Kind of agreement and end of an opt-in. Implied consent counts from the person's choice. */
function validityOf(
  { status, basis = "express", givenAtMs, evidence }: ConsentChange,
  now: number,
): Pick<EntryFields, "basis" | "expires_at"> {
  if (status !== "opted_in") return { basis: null, expires_at: null };
  const months = IMPLIED_CONSENT_MONTHS[basis];
  const collectedAtMs = evidence?.collected_at ? Date.parse(evidence.collected_at) : null;
  const sinceMs = collectedAtMs ?? givenAtMs ?? now;
  return { basis, expires_at: months === null ? null : addMonths(sinceMs, months) };
}

function write(
  tx: Tx,
  { owner, numbers, head }: OpenLedger,
  entries: readonly EntryRow[],
  now: number,
): void {
  if (entries.length === 0) return;
  const written = new Set(entries.map((entry) => entry.seq));
  const moved = [...numbers.values()].flatMap((number) =>
    [...number.states.values()].filter((state) => written.has(state.seq)),
  );
  tx.send(appendEntries, [
    owner.shard,
    owner.accountId,
    new Date(now),
    head.seq,
    head.hash,
    owner.mode,
    ...ledgerValues(entries, moved),
  ]);
}
