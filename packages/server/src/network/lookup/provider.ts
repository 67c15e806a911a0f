import type { LineType } from "@longwave/contract";

/** A provider's facts about a phone number. */
export interface LineFinding {
  readonly lineType: LineType;
  readonly carrier: string | null;
  readonly ported: boolean | null;
  /** Time of the lookup. */
  readonly checkedAtMs: number;
  /** Name of the provider. */
  readonly source: string;
}

/**
 * A provider of facts about phone numbers. Numbers that it does not know, or cannot look up now,
 * are absent from its answer. It never guesses and never throws.
 */
export interface LookupProvider {
  readonly name: string;
  find(phones: readonly string[]): Promise<ReadonlyMap<string, LineFinding>>;
}

export type Findings = ReadonlyMap<string, LineFinding>;
