/** Counts of texts by what became of them, as an hour's row has them or several added up. */
export interface Tally {
  sent: number;
  delivered: number;
  undelivered: number;
  refused: number;
}

export const emptyTally = (): Tally => ({ sent: 0, delivered: 0, undelivered: 0, refused: 0 });

export function addTo(tally: Tally, more: Readonly<Tally>): void {
  tally.sent += more.sent;
  tally.delivered += more.delivered;
  tally.undelivered += more.undelivered;
  tally.refused += more.refused;
}

/** Those whose end is known. */
export const decidedOf = (tally: Readonly<Tally>): number =>
  tally.delivered + tally.undelivered + tally.refused;

/** Delivered as a fraction of those decided, to six digits; null when there are none. */
export function rateOf(tally: Readonly<Tally>): number | null {
  const decided = decidedOf(tally);
  return decided === 0 ? null : Number((tally.delivered / decided).toFixed(6));
}
