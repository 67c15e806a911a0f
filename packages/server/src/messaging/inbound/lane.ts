import type { InboundText } from "../carriers/index.ts";
import type { Tx } from "../db/database.ts";
import { isUnavailable } from "../db/failures.ts";
import { statement } from "../db/statement.ts";
import { INBOX_SHARD } from "../handover/index.ts";
import { dueByShard, earliestDue, type Lane } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import type { InboundDeps } from "./deps.ts";
import { handleInboundText } from "./receive.ts";

const TEXTS_PER_CHUNK_MAX = 100;
/** A text that we fail to take in is tried again, at last every half hour for three days. */
const FAILED_WAITS_MS = [1_000, 5_000, 30_000, 300_000] as const;
const FAILED_WAIT_MS_MAX = 1_800_000;
/** What of a longer text has come by then is taken in as it is. */
const PARTS_WAIT_MS = 3_600_000;
const FAILED_KEPT_MS = 72 * 3_600_000;

interface InboundRow {
  readonly id: string;
  readonly carrier: string;
  readonly payload: InboundText;
  readonly received_at: number;
}

// What one phone texts is taken in the order it came, whoever takes it: a START after a STOP must
// not be overtaken. Different phones do not wait for each other.
const claimInbound = statement(
  "claim_inbound_text",
  `select b.id, b.carrier, b.payload, b.received_at from carrier_inbox b
    where b.shard = $1 and b.due_at <= $2 and b.kind = 'inbound'
      and not exists (
        select 1 from carrier_inbox earlier
         where earlier.shard = $1 and earlier.kind = 'inbound' and earlier.due_at is not null
           and earlier.payload ->> 'from' = b.payload ->> 'from' and earlier.id < b.id
           -- A part that waits for the others holds up nobody.
           and (earlier.due_at <= $2 or earlier.payload -> 'part' is null))
    order by b.due_at, b.id limit 1 for update of b skip locked`,
);

const finishInbound = statement(
  "finish_inbound_text",
  `update carrier_inbox set due_at = null, handled_at = $3, message_id = $4
    where shard = $1 and id = any($2::uuid[])`,
);

/** The other parts of a longer text that have come, whichever process they came to. */
const findParts = statement(
  "find_inbound_parts",
  `select id, carrier, payload, received_at from carrier_inbox
    where shard = $1 and kind = 'inbound' and due_at is not null and carrier = $2
      and payload ->> 'from' = $3 and payload ->> 'to' = $4
      and payload -> 'part' ->> 'reference' = $5::text and payload -> 'part' ->> 'total' = $6::text
    order by id for update`,
);

const postponeInbound = statement(
  "postpone_inbound_text",
  `update carrier_inbox set due_at = $3, handled_at = $4 where shard = $1 and id = $2`,
);

const inboundDue = dueByShard("inbound_texts_due_by_shard", {
  table: "carrier_inbox",
  dueAt: "due_at",
  where: "kind = 'inbound' and due_at is not null",
});

/** Texts that carriers brought, each taken in by a transaction of its own. */
export const inboundLane: Lane<InboundDeps> = {
  name: LANES.inbound,
  nextDueAt: (deps) => earliestDue(deps, inboundDue),
  async runDue(deps) {
    let taken = 0;
    while (taken < TEXTS_PER_CHUNK_MAX && (await takeOne(deps))) taken += 1;
    // An answer to a keyword is due at once.
    if (taken > 0) deps.wakes.wake(LANES.dispatch);
    return taken;
  },
};

async function takeOne(deps: InboundDeps): Promise<boolean> {
  let claimed: InboundRow | null = null;
  try {
    const taken = await deps.db.tx(async (tx) => {
      claimed = await claim(deps, tx);
      if (claimed === null) return null;
      const whole = await wholeOf(deps, tx, claimed);
      if (whole === null) return "waits" as const;
      const message = await handleInboundText(deps, tx, whole);
      const now = new Date(deps.clock.now());
      await tx.query(finishInbound, [INBOX_SHARD, whole.ids, now, message?.id ?? null]);
      return { ...whole, isOwned: message !== null };
    });
    if (taken !== null && taken !== "waits" && !taken.isOwned) noteUnowned(deps, taken);
    return taken !== null;
  } catch (error) {
    if (claimed === null || isUnavailable(error)) throw error;
    await postpone(deps, claimed, error);
    return true;
  }
}

/** There is nobody to tell but the operator, and what it says is nobody's business. */
function noteUnowned(deps: InboundDeps, { id, carrier, payload: { to } }: InboundRow): void {
  if (deps.config.verifyNumbers.includes(to)) return;
  deps.metrics.unownedTexts.inc({ carrier });
  deps.log.warn({ carrier, to, inbox: id }, "a text came for a number that nobody holds");
}

/** The text with all its parts, or null while some are missing and may yet come. */
async function wholeOf(
  deps: InboundDeps,
  tx: Tx,
  row: InboundRow,
): Promise<(InboundRow & { readonly ids: string[] }) | null> {
  const { part, from, to } = row.payload;
  if (!part) return { ...row, ids: [row.id] };
  const rows = await tx.query<InboundRow>(findParts, [
    INBOX_SHARD,
    row.carrier,
    from,
    to,
    String(part.reference),
    String(part.total),
  ]);
  const bodies = new Map<number, string>();
  for (const { payload } of rows) bodies.set(payload.part?.number ?? 0, payload.body);
  const waitsUntilMs = Math.min(...rows.map((one) => one.received_at)) + PARTS_WAIT_MS;
  if (bodies.size < part.total && deps.clock.now() < waitsUntilMs) {
    await tx.query(postponeInbound, [INBOX_SHARD, row.id, new Date(waitsUntilMs), null]);
    return null;
  }
  const numbers = [...bodies.keys()].sort((a, b) => a - b);
  const body = numbers.map((number) => bodies.get(number)).join("");
  return { ...row, payload: { ...row.payload, body }, ids: rows.map((one) => one.id) };
}

async function claim(deps: InboundDeps, tx: Tx): Promise<InboundRow | null> {
  const now = new Date(deps.clock.now());
  const [row] = await tx.query<InboundRow>(claimInbound, [INBOX_SHARD, now]);
  return row ?? null;
}

/** One text that cannot be taken in must not hold up those of others. */
async function postpone(deps: InboundDeps, row: InboundRow, error: unknown): Promise<void> {
  deps.log.error({ err: error, inbox: row.id }, "an inbound text could not be taken in");
  const now = deps.clock.now();
  const age = now - row.received_at;
  const isOver = age >= FAILED_KEPT_MS;
  const wait = FAILED_WAITS_MS.find((ms) => ms > age) ?? FAILED_WAIT_MS_MAX;
  const dueAt = isOver ? null : new Date(now + wait);
  await deps.db.query(postponeInbound, [INBOX_SHARD, row.id, dueAt, isOver ? new Date(now) : null]);
}
