import { lostReferencesOf, type Receipt } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { EVERY_SHARD } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import { type NamedAttempt, parseOurReference } from "./our-reference.ts";
import { NEWEST_NAMED } from "./sql.ts";

/** An answer is written down within so long, and names its text: until then a short form of our name is not asked. */
const SHORT_FORM_WAIT_MS = 1_000;

/** A receipt as it was stored. */
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
  /** The attempt, where our own reference told it. */
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
    // Pairs of one's carrier and another's reference are found as well; nobody asks for those.
    onCitus: `select distinct on (c.carrier, c.reference) c.carrier, c.reference, c.shard, c.message_id
       from carrier_references c
      where c.carrier = any($1::text[]) and c.reference = any($2::text[])
      order by c.carrier, c.reference, c.created_at desc`,
    acrossShards: "a receipt names a carrier's reference, not a shard",
  },
);

/** By our own names, and only where the attempt was made through the carrier that brings them. */
const matchAttempts = statement(
  "match_submit_attempts",
  `select w.i::int as position, s.shard, m.id as message_id, m.from_number, m.to_number
     from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality as w (carrier, message_id, attempt, i)
    cross join ${EVERY_SHARD}
    cross join lateral (
      select id, attempts, carrier, handed_at, from_number, to_number from messages
       where shard = s.shard and id = w.message_id limit 1
    ) m
    where m.handed_at is not null and m.attempts = w.attempt and m.carrier = w.carrier
       or exists (
         select 1 from submit_attempts a
          where a.shard = s.shard and a.message_id = w.message_id and a.attempt = w.attempt
            and a.carrier = w.carrier)`,
  {
    onCitus: `select w.i::int as position, m.shard, m.id as message_id, m.from_number, m.to_number
       from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality as w (carrier, message_id, attempt, i)
       join messages m on m.id = w.message_id
      where m.handed_at is not null and m.attempts = w.attempt and m.carrier = w.carrier
         or exists (
           select 1 from submit_attempts a
            where a.shard = m.shard and a.message_id = m.id and a.attempt = w.attempt
              and a.carrier = w.carrier)`,
    acrossShards: "our own reference names a message, not its shard",
  },
);

/** What the carrier calls them is known from now on: its other receipts may not carry our names. */
const nameMatched = statement(
  "name_matched_receipts",
  `insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
   select $1, i.carrier, i.reference, m.id, m.account_id, 1, $3
     from jsonb_to_recordset($2::jsonb) as i (carrier text, reference text, message_id uuid)
     join messages m on m.shard = $1 and m.id = i.message_id
   on conflict do nothing`,
);

/**
 * Receipts by what they name: the carrier's reference or, where nobody knows that, our own. A short form of
 * that may stand for another text as well: it counts once the answer that names the text had its time.
 */
export async function matchesOf(
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
  const byName = new Map(found.map((match) => [`${match.carrier} ${match.reference}`, match]));
  const unmatched: InboxRow[] = [];
  for (const row of rows) {
    const match = byName.get(`${row.carrier} ${row.reference}`);
    if (match) matches.set(row.id, { ...match, attempt: null });
    else unmatched.push(row);
  }
  for (const [id, match] of await matchesByOurNames(tx, unmatched, now)) matches.set(id, match);
  return matches;
}

/** Of the texts that a receipt may name, the first that is to the phone that the receipt is of. */
async function matchesByOurNames(
  tx: Tx,
  rows: readonly InboxRow[],
  now: number,
): Promise<Map<string, Match>> {
  const matches = new Map<string, Match>();
  const named = await namedByUs(tx, rows, now);
  if (named.length === 0) return matches;
  const found = await tx.query<Ends & { position: number; shard: number; message_id: string }>(
    matchAttempts,
    [
      named.map(({ row }) => row.carrier),
      named.map(({ attempt }) => attempt.messageId),
      named.map(({ attempt }) => attempt.attempt),
    ],
  );
  for (const { position, shard, message_id, ...ends } of found.toSorted(byPosition)) {
    const { row, attempt } = named[position - 1] as NamedByUs;
    if (matches.has(row.id) || !mayBeAbout(row.payload.numbers, ends)) continue;
    matches.set(row.id, { shard, message_id, attempt: attempt.attempt });
  }
  return matches;
}

const byPosition = (one: { position: number }, other: { position: number }) =>
  one.position - other.position;

/** A receipt, and an attempt that it may name. */
interface NamedByUs {
  readonly row: InboxRow;
  readonly attempt: NamedAttempt;
}

interface Ends {
  readonly from_number: string;
  readonly to_number: string;
}

/** Shorter ones are a service's and no phone's. */
const PHONE_DIGITS_MIN = 7;

/**
 * Whether a receipt with these numbers may be about a text between those. Carriers write numbers with and
 * without a country's code; where none of them is a phone's, they tell nothing.
 */
export function mayBeAbout(numbers: readonly string[] | undefined, ends: Ends): boolean {
  const [own, phone] = [digitsOf(ends.from_number), digitsOf(ends.to_number)];
  const told = (numbers ?? [])
    .map(digitsOf)
    .filter((digits) => digits.length >= PHONE_DIGITS_MIN && !areSame(digits, own));
  return told.length === 0 || told.some((digits) => areSame(digits, phone));
}

function areSame(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

function digitsOf(number: string): string {
  return number.replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** The attempts that receipts may name: by our own reference and, behind it, by its short form. */
async function namedByUs(tx: Tx, rows: readonly InboxRow[], now: number): Promise<NamedByUs[]> {
  const byShort = rows.filter(
    ({ payload, received_at }) =>
      payload.shortReference !== undefined && received_at <= now - SHORT_FORM_WAIT_MS,
  );
  const lost = await lostReferencesOf(
    tx,
    byShort.map(({ carrier, payload, received_at }) => ({
      carrier,
      reference: payload.shortReference as number,
      receivedAt: received_at,
    })),
  );
  const whole = new Map(byShort.map((row, position) => [row, lost[position]]));
  return rows.flatMap((row) =>
    [row.payload.ourReference, ...(whole.get(row) ?? [])].flatMap((reference) => {
      const attempt = parseOurReference(reference);
      return attempt ? [{ row, attempt }] : [];
    }),
  );
}

/** Those whom our own name told are known by the carrier's, too, from now on. */
export async function nameThose(
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
    await tx.query(nameMatched, [shard, JSON.stringify(named), new Date(now)]);
  }
}
