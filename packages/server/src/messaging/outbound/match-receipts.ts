import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { EVERY_SHARD } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { lostReferencesOf, type Receipt } from "../../network/carriers/index.ts";
import { type NamedAttempt, parseOurReference } from "./our-reference.ts";
import { NEWEST_NAMED } from "./sql.ts";

/** Matching by short form waits this long: until then the answer may still store the carrier's own reference. */
const SHORT_FORM_WAIT_MS = 1_000;

/** A receipt as stored in the inbox. */
export interface InboxRow {
  readonly id: string;
  readonly carrier: string;
  readonly kind: "receipt" | "inbound";
  readonly reference: string | null;
  readonly payload: Receipt;
  readonly received_at: number;
}

/** The message that a receipt is about. */
export interface Match {
  readonly shard: number;
  readonly message_id: string;
  /** The attempt, when the receipt matched by our own reference. */
  readonly attempt: number | null;
}

const matchReferences = statement(
  "match_carrier_references",
  `select distinct on (w.carrier, w.reference) w.carrier, w.reference, s.shard, r.message_id
     from unnest($1::text[], $2::text[]) as w (carrier, reference)
    cross join ${EVERY_SHARD}
    cross join lateral (${NEWEST_NAMED}) r
    order by w.carrier, w.reference, r.created_at desc`,
  {
    // Also returns pairs of one row's carrier and another row's reference; the caller ignores them.
    onCitus: `select distinct on (c.carrier, c.reference) c.carrier, c.reference, c.shard, c.message_id
       from carrier_references c
      where c.carrier = any($1::text[]) and c.reference = any($2::text[])
      order by c.carrier, c.reference, c.created_at desc`,
    acrossShards: "a receipt names a carrier's reference, not a shard",
  },
);

/** Matches by our own reference, and only attempts made through the carrier that sent the receipt. */
const matchAttempts = statement(
  "match_submit_attempts",
  `select w.i::int as position, s.shard, m.id as message_id, m.from_number, m.to_number
     from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality as w (carrier, message_id, attempt, i)
    cross join ${EVERY_SHARD}
    cross join lateral (
      select id, attempts, carrier, submitted_at, from_number, to_number from messages
       where shard = s.shard and id = w.message_id limit 1
    ) m
    where m.submitted_at is not null and m.attempts = w.attempt and m.carrier = w.carrier
       or exists (
         select 1 from submit_attempts a
          where a.shard = s.shard and a.message_id = w.message_id and a.attempt = w.attempt
            and a.carrier = w.carrier)`,
  {
    onCitus: `select w.i::int as position, m.shard, m.id as message_id, m.from_number, m.to_number
       from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality as w (carrier, message_id, attempt, i)
       join messages m on m.id = w.message_id
      where m.submitted_at is not null and m.attempts = w.attempt and m.carrier = w.carrier
         or exists (
           select 1 from submit_attempts a
            where a.shard = m.shard and a.message_id = m.id and a.attempt = w.attempt
              and a.carrier = w.carrier)`,
    acrossShards: "our own reference names a message, not its shard",
  },
);

/** Senders of messages by id, for any carrier. */
const findSenders = statement(
  "find_senders_of_messages",
  `select w.i::int as position, m.from_number
     from unnest($1::uuid[]) with ordinality as w (message_id, i)
    cross join ${EVERY_SHARD}
    cross join lateral (
      select from_number from messages where shard = s.shard and id = w.message_id limit 1
    ) m`,
  {
    onCitus: `select w.i::int as position, m.from_number
       from unnest($1::uuid[]) with ordinality as w (message_id, i)
       join messages m on m.id = w.message_id`,
    acrossShards: "our own reference names a message, not its shard",
  },
);

/** Stores the carrier's reference for messages matched by our own: later receipts may carry only the carrier's. */
const insertReferences = statement(
  "insert_matched_references",
  `insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
   select $1, i.carrier, i.reference, m.id, m.account_id, 1, $3
     from jsonb_to_recordset($2::jsonb) as i (carrier text, reference text, message_id uuid)
     join messages m on m.shard = $1 and m.id = i.message_id
   on conflict do nothing`,
);

/**
 * Matches receipts by the carrier's reference or, if that is unknown, by our own.
 *
 * A short form of our reference is ambiguous. It counts only after the answer had time to store the carrier's
 * reference.
 */
export async function matchReceipts(
  tx: Tx,
  rows: readonly InboxRow[],
  now: number,
): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  if (rows.length === 0) return matches;
  const found = await tx.query<{
    carrier: string;
    reference: string;
    shard: number;
    message_id: string;
  }>(matchReferences, [rows.map((row) => row.carrier), rows.map((row) => row.reference)]);
  const byReference = new Map(found.map((match) => [`${match.carrier} ${match.reference}`, match]));
  const unmatched: InboxRow[] = [];
  for (const row of rows) {
    const match = byReference.get(`${row.carrier} ${row.reference}`);
    if (match) matches.set(row.id, { ...match, attempt: null });
    else unmatched.push(row);
  }
  for (const [id, match] of await matchByOurReference(tx, unmatched, now)) matches.set(id, match);
  return matches;
}

/** Message ids by reference, for the values that are references of this carrier. */
export async function messagesNamed(
  db: Queryable,
  carrier: string,
  values: readonly string[],
): Promise<Map<string, string>> {
  if (values.length === 0) return new Map();
  const rows = await db.query<{ reference: string; message_id: string }>(matchReferences, [
    values.map(() => carrier),
    values,
  ]);
  return new Map(rows.map(({ reference, message_id }) => [reference, message_id]));
}

/**
 * Finds unmatched receipts that name one of our messages although their carrier did not have that attempt. Returns
 * the message's sender for each.
 *
 * A short reference may name several messages, so it proves nothing.
 */
export async function foreignReceipts(
  tx: Tx,
  unmatched: readonly InboxRow[],
): Promise<Map<string, string>> {
  const named = unmatched.flatMap(({ id, payload }) => {
    const attempt = payload.shortReference === undefined && parseOurReference(payload.ourReference);
    return attempt ? [{ id, messageId: attempt.messageId }] : [];
  });
  if (named.length === 0) return new Map();
  const ids = named.map(({ messageId }) => messageId);
  const found = await tx.query<{ position: number; from_number: string }>(findSenders, [ids]);
  return new Map(
    found.map(({ position, from_number }) => [named[position - 1]?.id ?? "", from_number]),
  );
}

/** Several messages may share a short reference; picks the first one sent to the receipt's phone number. */
async function matchByOurReference(
  tx: Tx,
  rows: readonly InboxRow[],
  now: number,
): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  const named = await candidateAttempts(tx, rows, now);
  if (named.length === 0) return matches;
  const found = await tx.query<Endpoints & { position: number; shard: number; message_id: string }>(
    matchAttempts,
    [
      named.map(({ row }) => row.carrier),
      named.map(({ attempt }) => attempt.messageId),
      named.map(({ attempt }) => attempt.attempt),
    ],
  );
  for (const { position, shard, message_id, ...endpoints } of found.toSorted(byPosition)) {
    const { row, attempt } = named[position - 1] as AttemptCandidate;
    if (matches.has(row.id) || !mayMatch(row.payload.numbers, endpoints)) continue;
    matches.set(row.id, { shard, message_id, attempt: attempt.attempt });
  }
  return matches;
}

const byPosition = (one: { position: number }, other: { position: number }) =>
  one.position - other.position;

/** A receipt, and an attempt that it may name. */
interface AttemptCandidate {
  readonly row: InboxRow;
  readonly attempt: NamedAttempt;
}

interface Endpoints {
  readonly from_number: string;
  readonly to_number: string;
}

/** Shorter numbers are short codes, not phones. */
const PHONE_DIGITS_MIN = 7;

/**
 * Whether a receipt with these numbers may be about a message between these endpoints.
 *
 * Carriers write numbers with and without a country code. A receipt without any phone number matches every
 * message.
 */
export function mayMatch(numbers: readonly string[] | undefined, endpoints: Endpoints): boolean {
  const [own, phone] = [digitsOf(endpoints.from_number), digitsOf(endpoints.to_number)];
  const phones = (numbers ?? [])
    .map(digitsOf)
    .filter((digits) => digits.length >= PHONE_DIGITS_MIN && !areSame(digits, own));
  return phones.length === 0 || phones.some((digits) => areSame(digits, phone));
}

function areSame(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

function digitsOf(number: string): string {
  return number.replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** Attempts that receipts may name: by our own reference first, then by its short form. */
async function candidateAttempts(
  tx: Tx,
  rows: readonly InboxRow[],
  now: number,
): Promise<AttemptCandidate[]> {
  const withShortForm = rows.filter(
    ({ payload, received_at }) =>
      payload.shortReference !== undefined && received_at <= now - SHORT_FORM_WAIT_MS,
  );
  const lost = await lostReferencesOf(
    tx,
    withShortForm.map(({ carrier, payload, received_at }) => ({
      carrier,
      reference: payload.shortReference as number,
      receivedAt: received_at,
    })),
  );
  const fullReferences = new Map(withShortForm.map((row, position) => [row, lost[position]]));
  return rows.flatMap((row) =>
    [row.payload.ourReference, ...(fullReferences.get(row) ?? [])].flatMap((reference) => {
      const attempt = parseOurReference(reference);
      return attempt ? [{ row, attempt }] : [];
    }),
  );
}

/** Stores the carrier's reference for messages matched by our own, so that later receipts match directly. */
export async function storeReferences(
  tx: Tx,
  shard: number,
  rows: readonly InboxRow[],
  matches: ReadonlyMap<string, Match>,
  now: number,
): Promise<void> {
  const named = rows.flatMap(({ id, carrier, reference }) => {
    const match = matches.get(id);
    return match && match.attempt !== null && reference !== null
      ? [{ carrier, reference, message_id: match.message_id }]
      : [];
  });
  if (named.length > 0) {
    await tx.query(insertReferences, [shard, JSON.stringify(named), new Date(now)]);
  }
}
