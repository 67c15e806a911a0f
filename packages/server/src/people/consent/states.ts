import {
  type ConsentChange,
  type EntryFields,
  type StateRow,
  WHOLE_ACCOUNT,
} from "./consent-row.ts";

/** All states of one phone number, by customer. */
export type StatesOfNumber = ReadonlyMap<string, StateRow>;

/**
 * Whether a text sent for this customer (or, with null, for none) is forbidden. An opt-out of the
 * whole account holds for every customer, unless the person opted in to that customer later. The
 * statement that accepts messages says the same in SQL.
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

/** What a change comes to. `changed` is what events and replies hang on, `records` the ledger. */
export interface Judgement {
  readonly records: boolean;
  readonly changed: boolean;
  /** An import that would opt someone back in. */
  readonly refused: boolean;
}

const NOTHING: Judgement = { records: false, changed: false, refused: false };

/** Decides whether a change is written down, and whether it changes who may be texted. */
export function judge(states: StatesOfNumber, change: ConsentChange): Judgement {
  if (change.status === "flagged") {
    return { ...NOTHING, records: !isOptedOut(states, change.customerId) };
  }
  if (change.status === "opted_out") return judgeOptOut(states, change);
  return judgeOptIn(states, change);
}

function judgeOptOut(states: StatesOfNumber, change: ConsentChange): Judgement {
  const own = states.get(change.customerId ?? WHOLE_ACCOUNT);
  const changed = !isOptedOut(states, change.customerId) || silencesACustomer(states, change);
  // Someone opted out of the whole account who also stops one customer has said so: it must
  // outlive a later opt-in to the account. Who may be texted does not change by it.
  const isNews = own?.status !== "opted_out" || (change.origin === "api" && differs(own, change));
  return { records: changed || isNews, changed, refused: false };
}

/** A second opt-out of the whole account ends what was opted in to since the first. */
function silencesACustomer(states: StatesOfNumber, change: ConsentChange): boolean {
  const account = states.get(WHOLE_ACCOUNT);
  if (change.customerId !== null || account?.status !== "opted_out") return false;
  return [...states.values()].some((state) => isLater(state, account));
}

function judgeOptIn(states: StatesOfNumber, change: ConsentChange): Judgement {
  if (change.origin === "import" && hasAnyOptOut(states)) return { ...NOTHING, refused: true };
  const own = states.get(change.customerId ?? WHOLE_ACCOUNT);
  const changed = own?.status !== "opted_in" || isOptedOut(states, change.customerId);
  const isNews = change.origin !== "text" && own !== undefined && differs(own, change);
  return { records: changed || isNews, changed, refused: false };
}

function hasAnyOptOut(states: StatesOfNumber): boolean {
  return [...states.values()].some((state) => state.status === "opted_out");
}

/** The same again from another source, or with another note, is evidence worth keeping. */
function differs(own: StateRow, change: ConsentChange): boolean {
  return own.source !== change.source || own.note !== (change.note ?? null);
}

/** The state that an entry leaves behind. A flag leaves what there was. */
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
    recorded_by: entry.recorded_by,
    updated_at: entry.created_at,
  };
}
