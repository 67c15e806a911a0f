/** Converts recurrence rules to phrases, and the common ones to a form. */

import { cronWords, ordinal } from "./cron.ts";

export const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Day = (typeof DAYS)[number];

// biome-ignore format: read as a table
const DAY_WORDS: Readonly<Record<Day, string>> = {
  MO: "Monday", TU: "Tuesday", WE: "Wednesday", TH: "Thursday", FR: "Friday", SA: "Saturday", SU: "Sunday",
};

export type RuleKind = "daily" | "weekly" | "monthly" | "rrule" | "cron";

export interface RuleForm {
  readonly kind: RuleKind;
  readonly days: readonly Day[];
  readonly monthDay: number;
  /** Time of day, such as 09:30. */
  readonly time: string;
  /** The rule as written, when no form covers it. */
  readonly text: string;
}

export const EMPTY_RULE: RuleForm = {
  kind: "weekly",
  days: ["MO"],
  monthDay: 1,
  time: "09:00",
  text: "",
};

/** The rule or the cron expression that the API takes. */
export function ruleOf(form: RuleForm): { rrule: string } | { cron: string } {
  if (form.kind === "cron") return { cron: form.text.trim() };
  if (form.kind === "rrule") return { rrule: form.text.trim() };
  const [hour = "0", minute = "0"] = form.time.split(":");
  const at = `BYHOUR=${Number(hour)};BYMINUTE=${Number(minute)};BYSECOND=0`;
  if (form.kind === "daily") return { rrule: `FREQ=DAILY;${at}` };
  if (form.kind === "monthly") {
    return { rrule: `FREQ=MONTHLY;BYMONTHDAY=${form.monthDay};${at}` };
  }
  const days = DAYS.filter((day) => form.days.includes(day));
  return { rrule: `FREQ=WEEKLY;BYDAY=${days.join(",")};${at}` };
}

/** Form of a rule: a matching one, or the raw rule when none is equivalent. */
export function ruleFormOf(rule: { rrule: string | null; cron: string | null }): RuleForm {
  if (rule.cron !== null) return { ...EMPTY_RULE, kind: "cron", text: rule.cron };
  const text = rule.rrule ?? "";
  const parts = partsOf(text);
  const time = timeOf(parts);
  const written: RuleForm = { ...EMPTY_RULE, kind: "rrule", text };
  if (time === null) return written;
  const form = { ...EMPTY_RULE, time };
  const days = (parts.get("BYDAY") ?? "").split(",").filter((day): day is Day => isDay(day));
  const candidates: RuleForm[] = [
    { ...form, kind: "daily" },
    { ...form, kind: "weekly", days },
    { ...form, kind: "monthly", monthDay: Number(parts.get("BYMONTHDAY") ?? "1") },
  ];
  return candidates.find((each) => isSame(ruleOf(each), parts)) ?? written;
}

function isSame(made: { rrule: string } | { cron: string }, parts: Map<string, string>): boolean {
  if (!("rrule" in made)) return false;
  const own = partsOf(made.rrule);
  return own.size === parts.size && [...own].every(([name, value]) => parts.get(name) === value);
}

function partsOf(rrule: string): Map<string, string> {
  const pairs = rrule.replace(/^RRULE:/i, "").split(";");
  return new Map(
    pairs.flatMap((pair): [string, string][] => {
      const [name = "", value = ""] = pair.toUpperCase().split("=");
      return name === "" ? [] : [[name, value]];
    }),
  );
}

function timeOf(parts: Map<string, string>): string | null {
  const hour = parts.get("BYHOUR") ?? "";
  const minute = parts.get("BYMINUTE") ?? "";
  if (!/^\d{1,2}$/.test(hour) || !/^\d{1,2}$/.test(minute)) return null;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

function isDay(text: string): boolean {
  return (DAYS as readonly string[]).includes(text);
}

const list = new Intl.ListFormat("en", { type: "conjunction" });

/** "Every Monday and Thursday at 09:00", or the rule itself when no phrase covers it. */
export function ruleWords(rule: { rrule: string | null; cron: string | null }): string {
  const form = ruleFormOf(rule);
  if (form.kind === "daily") return `Every day at ${form.time}`;
  if (form.kind === "weekly") {
    return `Every ${list.format(form.days.map((day) => DAY_WORDS[day]))} at ${form.time}`;
  }
  if (form.kind === "monthly") {
    return `On the ${ordinal(form.monthDay)} of every month at ${form.time}`;
  }
  return form.kind === "cron" ? (cronWords(form.text) ?? `By cron: ${form.text}`) : form.text;
}
