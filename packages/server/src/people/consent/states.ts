import {
  type ConsentChange,
  type EntryFields,
  type StateRow,
  WHOLE_ACCOUNT,
} from "./consent-row.ts";

/** States of one phone number by customer. */
export type StatesOfNumber = ReadonlyMap<string, StateRow>;

/**
 * Whether messages for this customer (null: without a customer) are refused. An opt-out of the whole
 * account covers every customer, unless a later opt-in names the customer. opted-out-sql.ts is the
 * same rule in SQL.
 */
export function isOptedOut(states: StatesOfNumber, customerId: string | null): boolean {
  const account = states.get(WHOLE_ACCOUNT);
  const own = customerId === null ? undefined : states.get(customerId);
  if (own?.status === "opted_out") return true;
  return account?.status === "opted_out" && !(own !== undefined && isLater(own, account));
}

function isLater(own: StateRow, account: StateRow): boolean {
  return own.status === "opted_in" && own.seq > account.seq;
}

/** Effect of a change. `records`: write a ledger entry. `changed`: emit an event and reply. */
export interface ConsentDecision {
  readonly records: boolean;
  readonly changed: boolean;
  /** The change is an import that would reverse an opt-out. */
  readonly refused: boolean;
}

const NOTHING: ConsentDecision = { records: false, changed: false, refused: false };

/** Decides whether a change gets a ledger entry, and whether it affects which messages are allowed. */
export function decideConsent(states: StatesOfNumber, change: ConsentChange): ConsentDecision {
  if (change.status === "flagged") {
    return { ...NOTHING, records: !isOptedOut(states, change.customerId) };
  }
  if (change.status === "opted_out") return decideOptOut(states, change);
  return decideOptIn(states, change);
}

function decideOptOut(states: StatesOfNumber, change: ConsentChange): ConsentDecision {
  const own = states.get(change.customerId ?? WHOLE_ACCOUNT);
  const changed = !isOptedOut(states, change.customerId) || endsCustomerOptIn(states, change);
  // After an opt-out of the account, an opt-out of one customer is still recorded: it must survive a
  // later opt-in to the account. It changes nothing for sends now.
  const isRecorded =
    own?.status !== "opted_out" || (change.origin === "api" && isNewEvidence(own, change));
  return { records: changed || isRecorded, changed, refused: false };
}

/** Whether a repeated opt-out of the account reverses a customer's opt-in made since the first. */
function endsCustomerOptIn(states: StatesOfNumber, change: ConsentChange): boolean {
  const account = states.get(WHOLE_ACCOUNT);
  if (change.customerId !== null || account?.status !== "opted_out") return false;
  return [...states.values()].some((state) => isLater(state, account));
}

function decideOptIn(states: StatesOfNumber, change: ConsentChange): ConsentDecision {
  if (change.origin === "import" && hasAnyOptOut(states)) return { ...NOTHING, refused: true };
  const own = states.get(change.customerId ?? WHOLE_ACCOUNT);
  const changed = own?.status !== "opted_in" || isOptedOut(states, change.customerId);
  const isRecorded = change.origin !== "text" && own !== undefined && isNewEvidence(own, change);
  return { records: changed || isRecorded, changed, refused: false };
}

function hasAnyOptOut(states: StatesOfNumber): boolean {
  return [...states.values()].some((state) => state.status === "opted_out");
}

/** A repeated change with evidence, another basis, source or note is recorded. */
function isNewEvidence(own: StateRow, change: ConsentChange): boolean {
  if (change.evidence) return true;
  if (change.status === "opted_in" && (change.basis ?? "express") !== own.basis) return true;
  return own.source !== change.source || own.note !== (change.note ?? null);
}

/** State after an entry. A flag changes nothing. */
export function stateAfter(
  before: StateRow | undefined,
  entry: Omit<EntryFields, "previous_hash">,
): StateRow | undefined {
  if (entry.status === "flagged") return before;
  return {
    phone_number: entry.phone_number,
    customer_id: entry.customer_id,
    status: entry.status,
    seq: entry.seq,
    first_seq: before?.first_seq ?? entry.seq,
    source: entry.source,
    match: entry.match,
    note: entry.note,
    ...validityAfter(before, entry),
    recorded_by: entry.recorded_by,
    updated_at: entry.created_at,
  };
}

/** Express consent stays express when implied consent follows, and of two ends the later one counts. */
function validityAfter(
  before: StateRow | undefined,
  entry: Pick<EntryFields, "status" | "basis" | "expires_at">,
): Pick<StateRow, "basis" | "expires_at"> {
  const { basis, expires_at } = entry;
  if (before?.status !== "opted_in" || entry.status !== "opted_in") return { basis, expires_at };
  const lastsLonger =
    expires_at !== null && (before.expires_at === null || before.expires_at > expires_at);
  return lastsLonger
    ? { basis: before.basis, expires_at: before.expires_at }
    : { basis, expires_at };
}

/** Whether somebody has agreed to messages for this customer (null: without one), and the agreement has not ended. */
export function hasOptedIn(
  states: StatesOfNumber,
  customerId: string | null,
  nowMs: number,
): boolean {
  if (isOptedOut(states, customerId)) return false;
  const agreed = (state: StateRow | undefined) =>
    state?.status === "opted_in" && (state.expires_at === null || state.expires_at > nowMs);
  if (agreed(states.get(WHOLE_ACCOUNT))) return true;
  return customerId !== null && agreed(states.get(customerId));
}
