import type { Owner } from "../base.ts";
import type { Queryable, Tx } from "../db/database.ts";
import { expect } from "../platform/assert.ts";
import { chainAfter, entryText, hashOf } from "./chain.ts";
import {
  type ConsentChange,
  type EntryFields,
  type EntryRow,
  type StateRow,
  WHOLE_ACCOUNT,
} from "./consent-row.ts";
import type { ConsentDeps } from "./deps.ts";
import { appendEntries, lockLedger, readNumbers, readStates } from "./sql.ts";
import { judge, stateAfter } from "./states.ts";
import { writtenValues } from "./written-columns.ts";

/** What became of one change. */
export interface Changed {
  /** Who may be texted changed: emit and answer. */
  readonly changed: boolean;
  /** The ledger got an entry. */
  readonly recorded: boolean;
  /** An import would have opted someone back in. */
  readonly refused: boolean;
  /** The state of the number and customer named, as it stands now. */
  readonly state: StateRow | null;
}

/** What the ledger knows of a number: its states by customer, and the entry to chain on to. */
interface NumberInLedger {
  readonly states: Map<string, StateRow>;
  last: { readonly number_seq: number; readonly hash: Buffer } | null;
}

/** The ledger as it stands for some numbers, held until the transaction ends. */
export interface OpenLedger {
  readonly owner: Owner;
  readonly numbers: ReadonlyMap<string, NumberInLedger>;
  readonly head: { seq: number; hash: Buffer };
}

type NumberRow = StateRow & {
  readonly phone: string;
  readonly last_number_seq: number | null;
  readonly last_hash: Buffer | null;
};

/** Writes one change to the ledger, if it is one. */
export async function changeConsent(
  deps: ConsentDeps,
  tx: Tx,
  owner: Owner,
  change: ConsentChange,
): Promise<Changed> {
  const [result] = await changeConsents(deps, tx, owner, [change]);
  return expect(result, "a change has no result");
}

/**
 * Writes changes to the ledger in their order, in the caller's transaction. Keywords, the API,
 * imports and contacts all come through here, so the ledger, the states and the chain never part.
 */
export async function changeConsents(
  deps: ConsentDeps,
  tx: Tx,
  owner: Owner,
  changes: readonly ConsentChange[],
): Promise<Changed[]> {
  const phones = changes.map((change) => change.phoneNumber);
  return writeChanges(deps, tx, await openLedger(tx, owner, phones), changes);
}

/**
 * Locks the account's counter row, which serialises everything about its consent, and reads what is
 * known of some numbers. A send takes the same lock. Rows of messages that the transaction locks as
 * well are locked before it: always in that order, so that there is no deadlock.
 */
export async function openLedger(
  tx: Tx,
  owner: Owner,
  phoneNumbers: readonly string[],
): Promise<OpenLedger> {
  const account = [owner.shard, owner.accountId];
  const phones = [...new Set(phoneNumbers)];
  // They leave together: who holds the lock waits for no answer that it does not need.
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

/** Every state of one number by customer, as last committed. */
export async function statesOf(
  db: Queryable,
  owner: Owner,
  phoneNumber: string,
): Promise<Map<string, StateRow>> {
  const rows = await db.query<StateRow>(readStates, [owner.shard, owner.accountId, [phoneNumber]]);
  return new Map(rows.map((row) => [row.customer_id, row]));
}

/** Writes changes of numbers that the ledger was opened for. */
export async function writeChanges(
  deps: ConsentDeps,
  tx: Tx,
  ledger: OpenLedger,
  changes: readonly ConsentChange[],
): Promise<Changed[]> {
  const now = deps.clock.now();
  const entries: EntryRow[] = [];
  const optedOut = new Set<string>();
  const results = changes.map((change): Changed => {
    const number = expect(ledger.numbers.get(change.phoneNumber), "a number was not opened");
    const judgement = judge(number.states, change);
    if (judgement.records) {
      const entry = nextEntry(deps, ledger, change, number, now);
      entries.push(entry);
      const after = stateAfter(number.states.get(entry.customer_id), entry);
      if (after) number.states.set(entry.customer_id, after);
    }
    const isOfAll = change.status === "opted_out" && change.customerId === null;
    if (judgement.changed && isOfAll) optedOut.add(change.phoneNumber);
    return {
      changed: judgement.changed,
      recorded: judgement.records,
      refused: judgement.refused,
      state: number.states.get(change.customerId ?? WHOLE_ACCOUNT) ?? null,
    };
  });
  write(tx, ledger, entries, now);
  if (optedOut.size > 0) await deps.heedOptOuts(tx, ledger.owner, [...optedOut]);
  return results;
}

/** Makes the entry of a change, and moves the number and the head of the chain on to it. */
function nextEntry(
  deps: ConsentDeps,
  { owner, head }: OpenLedger,
  change: ConsentChange,
  number: NumberInLedger,
  now: number,
): EntryRow {
  const fields: EntryFields = {
    account_id: owner.accountId,
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
    recorded_by: change.recordedBy ?? null,
    created_at: now,
    previous_hash: number.last?.hash ?? null,
  };
  const hash = hashOf(entryText(fields));
  head.seq = fields.seq;
  head.hash = chainAfter(head.hash, hash);
  number.last = { number_seq: fields.number_seq, hash };
  return { ...fields, hash, chain_hash: head.hash };
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
    ...writtenValues(entries, moved),
  ]);
}
