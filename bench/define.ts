import type { Stage } from "./stage.ts";

/** What one round of a contender came to. */
export interface Measurement {
  readonly perSecond: number;
  readonly errors: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** One of two that are compared: prepared before, measured round by round. */
export interface Contender {
  readonly name: string;
  measure(): Promise<Measurement>;
}

/** One line of the table: ours against something everybody knows, measured in the same run. */
export interface Row {
  readonly ours: Contender;
  /** Left out, with the floor, where the clock alone judges: latencies at a given rate. */
  readonly other?: Contender;
  /** The run fails when the median of the ratios is below this. */
  readonly floor?: number;
  /** The run fails when the medians of ours are above these. */
  readonly p50MsMax?: number;
  readonly p99MsMax?: number;
}

/**
 * A benchmark: `bench/<name>.bench.ts` exports one as `bench`. `rows` gets a stage to start
 * servers on; whatever it starts is taken down after the last round.
 */
export interface Bench {
  readonly title: string;
  rows(stage: Stage): Promise<readonly Row[]>;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
