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
  `select w.inbox_id, s.shard, m.id as message_id, w.attempt
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as w (inbox_id, carrier, message_id, attempt)
    cross join ${EVERY_SHARD}
    cross join lateral (
      select id, attempts, carrier, handed_at from messages
       where shard = s.shard and id = w.message_id limit 1
    ) m
    where m.handed_at is not null and m.attempts = w.attempt and m.carrier = w.carrier
       or exists (
         select 1 from submit_attempts a
          where a.shard = s.shard and a.message_id = w.message_id and a.attempt = w.attempt
            and a.carrier = w.carrier)`,
  {
    onCitus: `select w.inbox_id, m.shard, m.id as message_id, w.attempt
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as w (inbox_id, carrier, message_id, attempt)
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
  const unknown = await namedByUs(tx, unmatched, now);
  if (unknown.length === 0) return matches;
  const attempts = await tx.query<Match & { inbox_id: string }>(matchAttempts, [
    unknown.map(({ row }) => row.id),
    unknown.map(({ row }) => row.carrier),
    unknown.map(({ named }) => named.messageId),
    unknown.map(({ named }) => named.attempt),
  ]);
  for (const { inbox_id, ...match } of attempts) matches.set(inbox_id, match);
  return matches;
}

/** The attempts that receipts name by our own reference, or by its short form. */
async function namedByUs(
  tx: Tx,
  rows: readonly InboxRow[],
  now: number,
): Promise<{ row: InboxRow; named: NamedAttempt }[]> {
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
  return rows.flatMap((row) => {
    const named = parseOurReference(row.payload.ourReference ?? whole.get(row));
    return named ? [{ row, named }] : [];
  });
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
