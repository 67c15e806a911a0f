import {
  CONSENT_CUSTOMERS_SHOWN_MAX,
  CONSENT_HISTORY_ENTRIES_MAX,
  CONSENT_STATUSES,
  type ConsentHistory,
  type ConsentStatus,
  formatTimestamp,
  Problem,
} from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { statesOf } from "./change.ts";
import { type EntryRow, type LedgerOwner, type StateRow, WHOLE_ACCOUNT } from "./consent-row.ts";
import { presentEntry, presentState } from "./present.ts";
import { readHistory, STATE_COLUMNS } from "./sql.ts";
import { isOptedOut, type StatesOfNumber } from "./states.ts";

export interface StateFilters {
  readonly status: ConsentStatus | undefined;
  readonly phoneNumber: string | undefined;
  readonly customerId: string | undefined;
}

/**
 * States by creation, newest first. The statement walks the index of each status and merges the two,
 * so that no filter reads rows it does not return.
 */
export function listStates(
  db: Queryable,
  owner: LedgerOwner,
  filters: StateFilters,
  afterSeq: number | null,
  limit: number,
): Promise<StateRow[]> {
  const walk = (status: ConsentStatus): Fragment => {
    const conditions = [
      sql`shard = ${owner.shard} and account_id = ${owner.accountId} and mode = ${owner.mode} and status = ${status}`,
    ];
    if (filters.customerId) conditions.push(sql`customer_id = ${filters.customerId}::uuid`);
    if (filters.phoneNumber) conditions.push(sql`phone_number = ${filters.phoneNumber}`);
    if (afterSeq !== null) conditions.push(sql`first_seq < ${afterSeq}::bigint`);
    return sql`(select ${raw(STATE_COLUMNS)} from consent_states
                 where ${join(conditions, " and ")} order by first_seq desc limit ${limit})`;
  };
  const statuses = filters.status ? [filters.status] : CONSENT_STATUSES;
  return db.query<StateRow>(
    composed(
      "list_consent_states",
      sql`select * from (${join(statuses.map(walk), " union all ")}) states
         order by first_seq desc limit ${limit}`,
    ),
  );
}

/** The newest CONSENT_HISTORY_ENTRIES_MAX entries of one number, oldest first. */
export async function historyOf(
  db: Queryable,
  owner: LedgerOwner,
  phoneNumber: string,
  upToSeq: number = Number.MAX_SAFE_INTEGER,
): Promise<EntryRow[]> {
  const newestFirst = await db.query<EntryRow>(readHistory, [
    owner.shard,
    owner.accountId,
    owner.mode,
    phoneNumber,
    upToSeq,
    CONSENT_HISTORY_ENTRIES_MAX,
  ]);
  if (newestFirst.length === 0) {
    throw new Problem(
      "not_found",
      `Nothing was ever recorded about ${phoneNumber}: it has neither opted in nor out.`,
    );
  }
  return newestFirst.reverse();
}

/** State and history of one number. */
export async function readConsent(
  db: Queryable,
  owner: LedgerOwner,
  phoneNumber: string,
  customerId: string | null,
): Promise<ConsentHistory> {
  const history = await historyOf(db, owner, phoneNumber);
  const states = await statesOf(db, owner, phoneNumber);
  const holds = effectiveState(states, customerId);
  const shown = {
    states: inOrder(states).slice(0, CONSENT_CUSTOMERS_SHOWN_MAX).map(presentState),
    history: history.map(presentEntry),
  };
  if (holds) return { ...presentState(holds), ...shown };
  const last = expect(history.at(-1), "a history is empty");
  return {
    object: "consent",
    phone_number: phoneNumber,
    customer_id: customerId === null ? null : toApiId("customer", customerId),
    status: "unknown",
    source: null,
    match: null,
    note: null,
    basis: null,
    expires_at: null,
    recorded_by: null,
    updated_at: formatTimestamp(last.created_at),
    ...shown,
  };
}

/** State that decides whether messages are allowed for a customer, or (null) without one. */
function effectiveState(states: StatesOfNumber, customerId: string | null): StateRow | undefined {
  const account = states.get(WHOLE_ACCOUNT);
  if (customerId === null) return account ?? inOrder(states)[0];
  const own = states.get(customerId);
  const isOverruled = own?.status !== "opted_out" && isOptedOut(states, customerId);
  return isOverruled ? account : (own ?? account);
}

/** State of the account first, then of customers, most recently changed first. */
function inOrder(states: StatesOfNumber): StateRow[] {
  return [...states.values()].sort((a, b) => {
    if (a.customer_id === WHOLE_ACCOUNT) return -1;
    return b.customer_id === WHOLE_ACCOUNT ? 1 : b.seq - a.seq;
  });
}
