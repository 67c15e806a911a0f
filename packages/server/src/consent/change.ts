import type { Queryable, Tx } from "../db/database.ts";
import type { Deps } from "../deps.ts";
import { expect } from "../platform/assert.ts";
import { chainAfter, entryText, hashOf } from "./chain.ts";
import {
  type ConsentChange,
  type EntryFields,
  type EntryRow,
  type StateRow,
  WHOLE_ACCOUNT,
} from "./consent-row.ts";
import { appendEntries, lockLedger, readLastEntries, readStates } from "./sql.ts";
import { judge, type StatesOfNumber, stateAfter } from "./states.ts";

export interface Owner {
  readonly shard: number;
  readonly accountId: string;
}

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

interface Head {
  seq: number;
  hash: Buffer;
}

interface LastEntry {
  readonly number_seq: number;
  readonly hash: Buffer;
}

/**
 * Takes the account's turn for consent. Whoever reads states in order to act on them calls this
 * first; messages that are locked too must be locked before.
 */
export async function lockConsent(tx: Tx, owner: Owner): Promise<{ seq: number; hash: Buffer }> {
  const [row] = await tx.query<{ consent_seq: number; consent_hash: Buffer }>(lockLedger, [
    owner.shard,
    owner.accountId,
  ]);
  const head = expect(row, "an account has no counters");
  return { seq: head.consent_seq, hash: head.consent_hash };
}

/** Every state of some phone numbers. Numbers without any have an empty map. */
export async function statesOf(
  db: Queryable,
  owner: Owner,
  phoneNumbers: readonly string[],
): Promise<Map<string, Map<string, StateRow>>> {
  const states = new Map(phoneNumbers.map((phone) => [phone, new Map<string, StateRow>()]));
  const values = [owner.shard, owner.accountId, [...states.keys()]];
  for (const row of await db.query<StateRow>(readStates, values)) {
    states.get(row.phone_number)?.set(row.customer_id, row);
  }
  return states;
}

/** Writes one change to the ledger, if it is one. */
export async function changeConsent(
  deps: Deps,
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
  deps: Deps,
  tx: Tx,
  owner: Owner,
  changes: readonly ConsentChange[],
): Promise<Changed[]> {
  const head: Head = await lockConsent(tx, owner);
  const phones = [...new Set(changes.map((change) => change.phoneNumber))];
  const states = await statesOf(tx, owner, phones);
  const last = await lastEntries(tx, owner, phones);
  const now = deps.clock.now();
  const entries: EntryRow[] = [];
  const results = changes.map((change): Changed => {
    const ofNumber = expect(states.get(change.phoneNumber), "states of a number were not read");
    const judgement = judge(ofNumber, change);
    if (judgement.records) {
      const entry = nextEntry(deps, owner, change, head, last.get(change.phoneNumber), now);
      entries.push(entry);
      last.set(change.phoneNumber, entry);
      const after = stateAfter(ofNumber.get(entry.customer_id), entry);
      if (after) ofNumber.set(entry.customer_id, after);
    }
    return {
      changed: judgement.changed,
      recorded: judgement.records,
      refused: judgement.refused,
      state: ofNumber.get(change.customerId ?? WHOLE_ACCOUNT) ?? null,
    };
  });
  await write(tx, owner, entries, states, head, now);
  return results;
}

async function lastEntries(
  tx: Tx,
  owner: Owner,
  phones: readonly string[],
): Promise<Map<string, LastEntry>> {
  const rows = await tx.query<LastEntry & { phone_number: string }>(readLastEntries, [
    owner.shard,
    owner.accountId,
    phones,
  ]);
  return new Map(rows.map((row) => [row.phone_number, row]));
}

/** Makes the entry of a change and moves the head of the account's chain on to it. */
function nextEntry(
  deps: Deps,
  owner: Owner,
  change: ConsentChange,
  head: Head,
  last: LastEntry | undefined,
  now: number,
): EntryRow {
  const fields: EntryFields = {
    account_id: owner.accountId,
    seq: head.seq + 1,
    id: deps.ids.makeAt(now),
    phone_number: change.phoneNumber,
    number_seq: (last?.number_seq ?? 0) + 1,
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
    api_key_id: change.apiKeyId ?? null,
    created_at: now,
    previous_hash: last?.hash ?? null,
  };
  const hash = hashOf(entryText(fields));
  head.seq = fields.seq;
  head.hash = chainAfter(head.hash, hash);
  return { ...fields, hash, chain_hash: head.hash };
}

async function write(
  tx: Tx,
  owner: Owner,
  entries: readonly EntryRow[],
  states: ReadonlyMap<string, StatesOfNumber>,
  head: Head,
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const written = new Set(entries.map((entry) => entry.seq));
  const moved = [...states.values()].flatMap((ofNumber) =>
    [...ofNumber.values()].filter((state) => written.has(state.seq)),
  );
  await tx.query(appendEntries, [
    owner.shard,
    owner.accountId,
    new Date(now),
    JSON.stringify(entries.map(entryJson)),
    JSON.stringify(moved),
    head.seq,
    head.hash,
  ]);
}

function entryJson(entry: EntryRow): object {
  return {
    ...entry,
    given_at: entry.given_at === null ? null : new Date(entry.given_at),
    previous_hash: entry.previous_hash?.toString("hex") ?? null,
    hash: entry.hash.toString("hex"),
    chain_hash: entry.chain_hash.toString("hex"),
  };
}
