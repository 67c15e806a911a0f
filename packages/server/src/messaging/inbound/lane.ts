import type { Tx } from "../../core/db/driver/database.ts";
import { isUnavailable } from "../../core/db/driver/failures.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dueByShard, earliestDue, type Lane } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { type InboundMessage, unownedSteps } from "../../network/carriers/index.ts";
import { INBOX_SHARD } from "../outbound/index.ts";
import type { InboundDeps } from "./deps.ts";
import { handleInboundMessage } from "./receive.ts";

const MESSAGES_PER_CHUNK_MAX = 100;
/** Retry delays of a message that cannot be received, by age; then every FAILED_WAIT_MS_MAX for three days. */
const FAILED_WAITS_MS = [1_000, 5_000, 30_000, 300_000] as const;
const FAILED_WAIT_MS_MAX = 1_800_000;
/** A multi-part message is received with the parts that have arrived by then. */
const PARTS_WAIT_MS = 3_600_000;
const FAILED_KEPT_MS = 72 * 3_600_000;

interface InboundRow {
  readonly id: string;
  readonly carrier: string;
  readonly payload: InboundMessage;
  readonly received_at: number;
}

// Messages of one phone are received in arrival order, whichever process receives them: a STOP must not overtake an
// earlier START. Different phones do not wait for each other.
const claimInbound = statement(
  "claim_inbound_message",
  `select b.id, b.carrier, b.payload, b.received_at from carrier_inbox b
    where b.shard = $1 and b.due_at <= $2 and b.kind = 'inbound'
      and not exists (
        select 1 from carrier_inbox earlier
         where earlier.shard = $1 and earlier.kind = 'inbound' and earlier.due_at is not null
           and earlier.payload ->> 'from' = b.payload ->> 'from' and earlier.id < b.id
           -- A part that waits for other parts delays no message.
           and (earlier.due_at <= $2 or earlier.payload -> 'part' is null))
    order by b.due_at, b.id limit 1 for update of b skip locked`,
);

const finishInbound = statement(
  "finish_inbound_message",
  `update carrier_inbox set due_at = null, handled_at = $3, message_id = $4
    where shard = $1 and id = any($2::uuid[])`,
);

/** Selects the parts of a multi-part message that have arrived. */
const findParts = statement(
  "find_inbound_parts",
  `select id, carrier, payload, received_at from carrier_inbox
    where shard = $1 and kind = 'inbound' and due_at is not null and carrier = $2
      and payload ->> 'from' = $3 and payload ->> 'to' = $4
      and payload -> 'part' ->> 'reference' = $5::text and payload -> 'part' ->> 'total' = $6::text
    order by id for update`,
);

const postponeInbound = statement(
  "postpone_inbound_message",
  `update carrier_inbox set due_at = $3, handled_at = $4 where shard = $1 and id = $2`,
);

const inboundDue = dueByShard("inbound_messages_due_by_shard", {
  table: "carrier_inbox",
  dueAt: "due_at",
  where: "kind = 'inbound' and due_at is not null",
});

/** Receives the messages that carriers brought, each in a transaction of its own. */
export const inboundLane: Lane<InboundDeps> = {
  name: LANES.inbound,
  nextDueAt: (deps) => earliestDue(deps, inboundDue),
  async runDue(deps) {
    let received = 0;
    while (received < MESSAGES_PER_CHUNK_MAX && (await receiveOne(deps))) received += 1;
    // An answer to a keyword is due at once.
    if (received > 0) deps.wakes.wake(LANES.dispatch);
    return received;
  },
};

async function receiveOne(deps: InboundDeps): Promise<boolean> {
  let claimed: InboundRow | null = null;
  try {
    const received = await deps.db.tx(async (tx) => {
      claimed = await claim(deps, tx);
      if (claimed === null) return null;
      const whole = await wholeOf(deps, tx, claimed);
      if (whole === null) return "waits" as const;
      const message = await handleInboundMessage(deps, tx, whole);
      const now = deps.clock.now();
      await tx.query(finishInbound, [INBOX_SHARD, whole.ids, new Date(now), message?.id ?? null]);
      const { to } = whole.payload;
      const isUnowned = message === null && !deps.config.verifyNumbers.includes(to);
      const unowned = { carrier: whole.carrier, kind: "inbound" as const, number: to };
      for (const step of unownedSteps(isUnowned ? [unowned] : [], now)) await tx.query(step);
      return { ...whole, isUnowned };
    });
    if (received !== null && received !== "waits" && received.isUnowned)
      noteUnowned(deps, received);
    return received !== null;
  } catch (error) {
    if (claimed === null || isUnavailable(error)) throw error;
    await postpone(deps, claimed, error);
    return true;
  }
}

/** Logs a message to an unowned number for the operator, without its body. */
function noteUnowned(deps: InboundDeps, { id, carrier, payload: { to } }: InboundRow): void {
  deps.metrics.unownedTexts.inc({ carrier });
  deps.log.warn({ carrier, to, inbox: id }, "inbound: number not owned");
}

/** The message with all its parts, or null while missing parts may still arrive. */
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

/** Retries a failing message later, so that it does not delay others. */
async function postpone(deps: InboundDeps, row: InboundRow, error: unknown): Promise<void> {
  deps.log.error({ err: error, inbox: row.id }, "inbound: message could not be received");
  const now = deps.clock.now();
  const age = now - row.received_at;
  const isOver = age >= FAILED_KEPT_MS;
  const wait = FAILED_WAITS_MS.find((ms) => ms > age) ?? FAILED_WAIT_MS_MAX;
  const dueAt = isOver ? null : new Date(now + wait);
  await deps.db.query(postponeInbound, [INBOX_SHARD, row.id, dueAt, isOver ? new Date(now) : null]);
}
