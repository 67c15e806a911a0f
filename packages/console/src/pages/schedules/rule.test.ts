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
  assert.equal(ruleWords({ rrule: null, cron: "30 9 * * 1-5" }), "By cron: 30 9 * * 1-5");
});
