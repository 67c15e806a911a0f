import type { Receipt } from "../carriers/carrier.ts";
import type { Queryable } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { EVERY_SHARD } from "../queue/due-shards.ts";
import { INBOX_SHARD, RECEIVED_COLUMNS } from "./sql.ts";
import type { FinalReceipt, Received } from "./stages.ts";

/** A receipt that can be applied as it comes in, and where its text is. */
export interface KnownReceipt extends FinalReceipt {
  readonly shard: number;
}

/**
 * Texts that these names stand for, where nothing else is to be asked: sent, in one part, and without
 * an earlier receipt that still waits, which would count before this one. A carrier may use a name again
 * after a while: the newest text counts.
 */
const findKnown = statement(
  "find_known_receipts",
  `select k.i::int as position, k.shard, ${RECEIVED_COLUMNS}
     from (
       select distinct on (w.i) w.i, s.shard, r.message_id
         from unnest($1::text[], $2::text[]) with ordinality as w (carrier, reference, i)
        cross join ${EVERY_SHARD}
        cross join lateral (
          select c.message_id, c.created_at from carrier_references c
           where c.shard = s.shard and c.carrier = w.carrier and c.reference = w.reference
           order by c.created_at desc limit 1
        ) r
        where not exists (
          select from carrier_inbox b
           where b.shard = $3 and b.carrier = w.carrier and b.reference = w.reference
             and b.kind = 'receipt' and b.due_at is not null)
        order by w.i, r.created_at desc
     ) k
    cross join lateral (
      select * from messages where shard = k.shard and id = k.message_id limit 1
    ) m
    where m.status = 'sent' and not exists (
      select from carrier_references l
       where l.shard = k.shard and l.message_id = k.message_id and l.segment > 1)`,
  {
    // Over several nodes that would be several questions, which the lane asks for many receipts at once: none is known.
    onCitus:
      "select 0 as position where $1::text[] is null and $2::text[] is null and $3::int is null",
    acrossShards: "a receipt names a carrier's reference, not a shard",
  },
);

/** Which of these receipts, by their positions, can be applied at once: the first of each text. */
export async function knownAmong(
  db: Queryable,
  receipts: readonly (Receipt | null)[],
): Promise<Map<number, KnownReceipt>> {
  const positions = firstOfEach(receipts);
  if (positions.length === 0) return new Map();
  const named = positions.map((position) => receipts[position] as Receipt);
  const found = await db.query<Received & { position: number; shard: number }>(findKnown, [
    named.map(({ carrier }) => carrier),
    named.map(({ reference }) => reference),
    INBOX_SHARD,
  ]);
  const known = new Map<number, KnownReceipt>();
  const texts = new Set<string>();
  for (const { position, shard, ...row } of found) {
    // Two names may stand for one text; its other receipts come after this one.
    if (texts.has(row.id)) continue;
    texts.add(row.id);
    const receipt = named[position - 1] as Receipt;
    const outcome = outcomeOf(receipt);
    const { carrierCode } = receipt;
    known.set(positions[position - 1] as number, { row, outcome, carrierCode, shard });
  }
  return known;
}

/** Positions of the first final receipt under each name, unless another kind came before it. */
function firstOfEach(receipts: readonly (Receipt | null)[]): number[] {
  const names = new Set<string>();
  return [...receipts.entries()].flatMap(([position, receipt]) => {
    if (receipt === null || receipt.reference === null) return [];
    const name = JSON.stringify([receipt.carrier, receipt.reference]);
    if (receipt.state === "intermediate" || names.has(name)) return [];
    names.add(name);
    return [position];
  });
}

export function outcomeOf(receipt: Receipt): FinalReceipt["outcome"] {
  return receipt.state === "delivered" ? "delivered" : (receipt.failure ?? "unreachable");
}
