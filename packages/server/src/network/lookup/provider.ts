import type { LineType } from "@longwave/contract";

/** What somebody says about a phone number. */
export interface LineFinding {
  readonly lineType: LineType;
  readonly carrier: string | null;
  readonly ported: boolean | null;
  /** When they said so. */
  readonly checkedAtMs: number;
  /** Who says so. */
  readonly source: string;
}

/**
 * Somebody who knows about phone numbers. A number that a provider does not know, or cannot ask about
 * right now, is not in its answer: nothing is guessed, and nothing that goes wrong there is thrown.
 */
export interface LookupProvider {
  readonly name: string;
  find(phones: readonly string[]): Promise<ReadonlyMap<string, LineFinding>>;
}

export type Findings = ReadonlyMap<string, LineFinding>;
