import type { Contender } from "./contender.ts";
import type { Stage } from "./stage.ts";

export type { Contender, Measurement } from "./contender.ts";

/**
 * One row of the table: ours against a known baseline, measured in the same run. The ratio is that of the
 * rates, or of the latencies if `by` says so.
 */
export interface Row {
  readonly ours: Contender;
  /** Missing, like the floor, where only latencies at a given rate have limits. */
  readonly other?: Contender;
  /** Basis of the ratio: responses a second (the default), or the median latency. */
  readonly by?: "rate" | "p50";
  /** Minimum median of the ratios; the run fails below it. */
  readonly floor?: number;
  /** Maximum median of the ratios; the run fails above it. */
  readonly ceiling?: number;
  /** Maximum medians of our latencies; the run fails above them. */
  readonly p50MsMax?: number;
  readonly p99MsMax?: number;
}

/** One row of the second table: a single measurement with its own limit. */
export interface Check {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly holds: boolean;
}

/**
 * A benchmark: `bench/<name>.bench.ts` exports one as `bench`. `rows` gets a stage to start servers on; the
 * stage closes them after the last round.
 */
export interface Bench {
  readonly title: string;
  /** True if it runs only when named, because it takes long. */
  readonly isLong?: boolean;
  rows?(stage: Stage): Promise<readonly Row[]>;
  /** Runs after the last round of the rows, on the same stage. */
  checks?(stage: Stage): Promise<readonly Check[]>;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
