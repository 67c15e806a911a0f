import type { Contender } from "./contender.ts";
import type { Stage } from "./stage.ts";

export type { Contender, Measurement } from "./contender.ts";

/**
 * One line of the table: ours against something everybody knows, measured in the same run. The
 * ratio is that of their rates, unless a row says that it is that of their latencies.
 */
export interface Row {
  readonly ours: Contender;
  /** Left out, with the floor, where the clock alone judges: latencies at a given rate. */
  readonly other?: Contender;
  /** What the ratio is taken of: answers a second (the default), or the median latency. */
  readonly by?: "rate" | "p50";
  /** The run fails when the median of the ratios is below this. */
  readonly floor?: number;
  /** The run fails when the median of the ratios is above this. */
  readonly ceiling?: number;
  /** The run fails when the medians of ours are above these. */
  readonly p50MsMax?: number;
  readonly p99MsMax?: number;
}

/** One line of the second table: something measured once, against a limit of its own. */
export interface Check {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly holds: boolean;
}

/**
 * A benchmark: `bench/<name>.bench.ts` exports one as `bench`. `rows` gets a stage to start
 * servers on; whatever it starts is taken down after the last round.
 */
export interface Bench {
  readonly title: string;
  /** Takes so long that it runs only when it is named. */
  readonly isLong?: boolean;
  rows?(stage: Stage): Promise<readonly Row[]>;
  /** Called after the last round of the rows, on the same stage. */
  checks?(stage: Stage): Promise<readonly Check[]>;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
