/** Message counts by outcome. */
export interface Outcomes {
  delivered: number;
  undelivered: number;
  refused: number;
}

/** Outcomes and the count of accepted messages, of one hour or several. */
export interface Tally extends Outcomes {
  sent: number;
}

export const emptyTally = (): Tally => ({ sent: 0, delivered: 0, undelivered: 0, refused: 0 });
export const noOutcomes = (): Outcomes => ({ delivered: 0, undelivered: 0, refused: 0 });

export function addTo(tally: Tally, more: Readonly<Tally>): void {
  tally.sent += more.sent;
  addOutcomes(tally, more);
}

export function addOutcomes(sum: Outcomes, more: Readonly<Outcomes>): void {
  sum.delivered += more.delivered;
  sum.undelivered += more.undelivered;
  sum.refused += more.refused;
}

export const failedOf = (counts: Readonly<Outcomes>): number => counts.undelivered + counts.refused;

/** Messages with a final outcome. */
export const decidedOf = (counts: Readonly<Outcomes>): number =>
  counts.delivered + failedOf(counts);

/** Delivered as a fraction of decided messages, to six digits; null without decided messages. */
export function rateOf(counts: Readonly<Outcomes>): number | null {
  const decided = decidedOf(counts);
  return decided === 0 ? null : Number((counts.delivered / decided).toFixed(6));
}
