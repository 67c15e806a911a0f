import type { Cost } from "./cost.ts";

/** Result of one round of a contender. */
export interface Measurement {
  readonly perSecond: number;
  readonly errors: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Cost of a response on the server and its PostgreSQL. */
  readonly cost?: Cost;
}

/** One of two compared loads: prepared once, measured round by round. */
export interface Contender {
  readonly name: string;
  measure(): Promise<Measurement>;
}
