import type { Cost } from "./cost.ts";

/** What one round of a contender came to. */
export interface Measurement {
  readonly perSecond: number;
  readonly errors: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** What an answer took of the server and its PostgreSQL. */
  readonly cost?: Cost;
}

/** One of two that are compared: prepared before, measured round by round. */
export interface Contender {
  readonly name: string;
  measure(): Promise<Measurement>;
}
