import { Cron } from "croner";
import { refuse } from "./refuse.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";

const FIELDS = 5;
const HOW =
  "cron takes five fields: minute, hour, day of the month, month and day of the week, such as 30 9 * * 1-5.";

/** Reads a cron expression. Without seconds: nobody is texted more than once a minute. */
export function parseCron(text: string): WallClockRule {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS) throw refuse("cron", HOW);
  const cron = compile(fields.join(" "));
  if (cron === null) throw refuse("cron", `cron cannot be read. ${HOW}`);
  return {
    until: null,
    next: (wallMs) => cron.nextRun(new Date(wallMs))?.getTime() ?? null,
  };
}

function compile(text: string): Cron | null {
  try {
    // Readings of a clock without a zone are those of UTC.
    return new Cron(text, { timezone: "UTC", paused: true, mode: "5-part" });
  } catch {
    return null;
  }
}
