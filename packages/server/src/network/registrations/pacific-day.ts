/** US networks count daily caps from midnight Pacific Time. */
const DAY = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Los_Angeles" });
const HOUR_MS = 3_600_000;

/** Day in Pacific Time, as YYYY-MM-DD. */
export function pacificDay(ms: number): string {
  return DAY.format(ms);
}

/** Next midnight in Pacific Time, which is a full hour in UTC. */
export function nextPacificDayMs(nowMs: number): number {
  const today = pacificDay(nowMs);
  let atMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  while (pacificDay(atMs) === today) atMs += HOUR_MS;
  return atMs;
}
