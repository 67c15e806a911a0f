import type { CarriersDeps } from "../../network/carriers/deps.ts";
import type { WindowSlots } from "../outbound/index.ts";
import type { BatchRow } from "./batch-row.ts";

/** Rows of one run of the lane; then the next account runs. */
export const ROWS_PER_RUN_MAX = 1_000;
/** Bounds how long a chunk holds the account's lock. */
export const ROWS_PER_CHUNK_MAX = 250;
/** A small first chunk: the database is idle until the process has composed it. */
export const ROWS_OF_FIRST_CHUNK_MAX = 80;
/** Messages of one paced chunk, in milliseconds of the number's rate; also the lateness that it may make up. */
export const PACE_STEP_MS = 250;

export interface RunSize {
  /** Recipients of the run; 0 when the carrier's window has no free slot. */
  readonly rows: number;
  /** Whether all of them go in one chunk. Only such a chunk may hold window slots. */
  readonly isOneChunk: boolean;
  /** Messages per second from the sending number; null without a pace. */
  readonly ratePerSecond: number | null;
}

/**
 * Limits a run by the pace of its sending number, by what its registration was granted and, for live
 * messages, by the free slots of the carrier's window, which it reserves.
 */
export function reserveRun(
  deps: CarriersDeps,
  batch: BatchRow,
  slots: WindowSlots,
  {
    rowsMax,
    grantedPerSecond,
  }: { readonly rowsMax: number; readonly grantedPerSecond: number | null },
): RunSize {
  const ratePerSecond = smaller(rateOf(deps, batch), grantedPerSecond);
  const needsSlots = batch.mode === "live" && deps.carriers.serves(batch.from_number);
  const isOneChunk = needsSlots || ratePerSecond !== null;
  const step = isOneChunk ? ROWS_PER_CHUNK_MAX : ROWS_PER_RUN_MAX;
  const paced = ratePerSecond === null ? step : Math.ceil((ratePerSecond * PACE_STEP_MS) / 1_000);
  const rowsWanted = Math.min(rowsMax, step, paced, batch.waiting);
  const rows = needsSlots ? slots.reserveMany(batch.from_number, rowsWanted) : rowsWanted;
  return { rows, isOneChunk, ratePerSecond };
}

function rateOf(deps: CarriersDeps, batch: BatchRow): number | null {
  const sandbox = deps.config.batchPacePerSecond;
  if (sandbox === 0) return null;
  return batch.mode === "test" ? sandbox : deps.carriers.ratePerSecond(batch.from_number);
}

function smaller(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Time for which `rows` messages occupy their sending number. */
export function paceMs(rows: number, ratePerSecond: number | null): number | null {
  return ratePerSecond === null ? null : Math.ceil((rows * 1_000) / ratePerSecond);
}
