/**
 * A time of a row so many seconds later, or earlier, for statements that tests write: Citus refuses a column plus an interval,
 * whose length may depend on the session's time zone.
 */
export function movedBy(column: string, seconds: number): string {
  return `to_timestamp(extract(epoch from ${column} - 'epoch'::timestamptz) + ${seconds})`;
}
