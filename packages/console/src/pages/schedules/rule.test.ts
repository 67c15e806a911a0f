import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_RULE, ruleFormOf, ruleOf, ruleWords } from "./rule.ts";

const rrule = (text: string) => ({ rrule: text, cron: null });

test("a form becomes a rule and the rule the same form", () => {
  for (const form of [
    { ...EMPTY_RULE, kind: "daily", time: "07:05" },
    { ...EMPTY_RULE, kind: "weekly", days: ["MO", "TH"], time: "18:30" },
    { ...EMPTY_RULE, kind: "monthly", monthDay: 3 },
  ] as const) {
    const made = ruleOf(form);
    assert.ok("rrule" in made);
    const back = ruleFormOf(rrule(made.rrule));
    assert.deepEqual(ruleOf(back), made);
    assert.equal(back.kind, form.kind);
  }
});

test("rules have a phrase; rules without a form show as written", () => {
  const weekly = "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0;BYSECOND=0";
  assert.equal(ruleWords(rrule(weekly)), "Every Monday and Thursday at 09:00");
  assert.equal(
    ruleWords(rrule("FREQ=MONTHLY;BYMONTHDAY=22;BYHOUR=9;BYMINUTE=5;BYSECOND=0")),
    "On the 22nd of every month at 09:05",
  );
  const odd = "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0";
  assert.equal(ruleWords(rrule(odd)), odd);
});

test("common cron expressions have a phrase; the other ones show as written", () => {
  const words = (cron: string) => ruleWords({ rrule: null, cron });
  assert.equal(words("30 9 * * 1-5"), "Every weekday at 09:30");
  assert.equal(words("0 8 * * *"), "Every day at 08:00");
  assert.equal(words("5 8,17 * * *"), "Every day at 08:05 and 17:05");
  assert.equal(words("0 9 * * mon,thu"), "Every Monday and Thursday at 09:00");
  assert.equal(words("0 9 * * 6,7"), "Every Saturday and Sunday at 09:00");
  assert.equal(words("0 9 * * 5-7"), "Every Sunday, Friday, and Saturday at 09:00");
  assert.equal(words("15 9 3 * *"), "On the 3rd of every month at 09:15");
  assert.equal(words("*/15 * * * *"), "Every 15 minutes");
  assert.equal(words("5 * * * *"), "Every hour, 5 minutes past");
  for (const odd of [
    "0 9 1 * 1",
    "0 9 * 6 *",
    "*/7 * * * *",
    "0 9 * * 5#2",
    "0 9 L * *",
    "1-5 9 * * *",
  ]) {
    assert.equal(words(odd), `By cron: ${odd}`);
  }
});
