/**
 * SQL for a row's timestamp moved by seconds. Citus refuses a column plus an interval, whose length may
 * depend on the session's time zone.
 */
export function movedBy(column: string, seconds: number): string {
  return `to_timestamp(extract(epoch from ${column} - 'epoch'::timestamptz) + ${seconds})`;
}
