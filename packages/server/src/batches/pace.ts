import type { CarriersDeps } from "../carriers/deps.ts";
import type { Tx } from "../db/database.ts";
import type { Places } from "../handover/index.ts";
import type { BatchRow } from "./batch-row.ts";
import { readPace, takePace } from "./sql.ts";

/** Short enough that nobody waits long for the locks of a turn, long enough to be fast. */
export const ROWS_PER_TURN_MAX = 1_000;
/** A paced number sends so much at a time, and may make up for so much lateness. */
const PACE_STEP_MS = 250;
/** How long a batch waits when no link has a place for its next text. */
const NO_PLACE_WAIT_MS = 50;

export interface TurnSize {
  /** How many recipients this turn takes. */
  readonly rows: number;
  /** When the next turn may come. */
  readonly nextAt: number;
}

/**
 * How much a turn may send: what the sending number's pace allows and, for live texts, as many as
 * the links have places for, which are taken ahead.
 */
export async function reserveTurn(
  deps: CarriersDeps,
  tx: Tx,
  batch: BatchRow,
  places: Places,
  rowsMax: number,
  now: number,
): Promise<TurnSize> {
  const rate = rateOf(deps, batch);
  const step = rate === null ? ROWS_PER_TURN_MAX : Math.ceil((rate * PACE_STEP_MS) / 1_000);
  const wanted = Math.min(rowsMax, step, batch.waiting);
  const rows = needsPlaces(deps, batch) ? places.takeAhead(batch.from_number, wanted) : wanted;
  if (rows === 0) return { rows: 0, nextAt: now + NO_PLACE_WAIT_MS };
  if (rate === null) return { rows, nextAt: now };
  const freeAt = await takeNumber(tx, batch, now, (rows * 1_000) / rate);
  if (freeAt.isTaken) return { rows, nextAt: freeAt.atMs };
  places.giveBackAll();
  return { rows: 0, nextAt: freeAt.atMs };
}

/** Whether the sending number has a pace of ours. */
export function isPaced(deps: CarriersDeps, batch: BatchRow): boolean {
  return rateOf(deps, batch) !== null;
}

/** Texts a second from this number; null without a limit of ours. */
function rateOf(deps: CarriersDeps, batch: BatchRow): number | null {
  const sandbox = deps.config.batchPacePerSecond;
  if (sandbox === 0) return null;
  return batch.mode === "test" ? sandbox : deps.carriers.ratePerSecond(batch.from_number);
}

/** Without a link for the number, live texts are written and retried like after any refusal. */
export function needsPlaces(deps: CarriersDeps, batch: BatchRow): boolean {
  return batch.mode === "live" && deps.carriers.serves(batch.from_number);
}

/** Takes the number for so long, if it is free; tells when it is free next. */
async function takeNumber(
  tx: Tx,
  batch: BatchRow,
  now: number,
  forMs: number,
): Promise<{ isTaken: boolean; atMs: number }> {
  const number = [batch.shard, batch.account_id, batch.from_number];
  const [taken] = await tx.query<{ free_at: number }>(takePace, [
    ...number,
    new Date(now),
    new Date(now + Math.ceil(forMs)),
    new Date(now - PACE_STEP_MS),
  ]);
  if (taken) return { isTaken: true, atMs: taken.free_at };
  const [busy] = await tx.query<{ free_at: number }>(readPace, number);
  return { isTaken: false, atMs: Math.max(busy?.free_at ?? 0, now + 1) };
}
