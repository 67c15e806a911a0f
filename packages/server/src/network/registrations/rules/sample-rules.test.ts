/** Each rule on examples: texts that it finds, and texts that it leaves alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Subject, UseCase } from "../site.ts";
import { checkSamples } from "./check.ts";

const GOOD = "Hillside Dental: your cleaning is tomorrow at 2:30 PM. Reply C to confirm.";
const OTHER = "Hillside Dental: the office is closed on Monday. We wish you a good weekend!";

function problems(samples: readonly string[], useCase: UseCase = "account_notification"): string[] {
  const subject: Subject = {
    businessName: "Hillside Dental, PLLC",
    website: "https://hillside.example.com/",
    useCase,
    brand: {},
  };
  return checkSamples(samples, subject)
    .findings.filter(({ level }) => level !== "pass")
    .map(({ code, index }) => (index === null ? code : `${code} ${index}`));
}

const ONE_EACH: readonly (readonly [sample: string, code: string, useCase?: UseCase])[] = [
  ["Hillside Dental", "samples.too_short"],
  [`Hillside Dental: ${"we moved to a new place ".repeat(14)}`, "samples.too_long"],
  ["Your appointment is tomorrow at noon, please be on time.", "samples.name_missing"],
  ["Hillside Dental: hello {{first_name}}, see you tomorrow at noon.", "samples.template"],
  ["Hillside Dental: hello [NAME], see you tomorrow at noon.", "samples.template"],
  ["Hillside Dental: hello %s, see you tomorrow at noon.", "samples.template"],
  ["Hillside Dental: this is a test message for the carriers.", "samples.placeholder"],
  ["Hillside Dental: your bill is ready at https://bit.ly/3xYz", "samples.shortener"],
  ["Hillside Dental: your bill is ready at https://pay.example.org/1", "samples.link_domain"],
  ["Hillside Dental: your bill is ready at http://hillside.example.com/1", "samples.link_insecure"],
  ["Hillside Dental: whitening is 20% off this week, book today.", "samples.mismatch"],
  ["HILLSIDE DENTAL: YOUR APPOINTMENT IS TOMORROW AT NOON", "samples.shouting"],
  ["Hillside Dental: reply with your card number to keep your slot.", "samples.sensitive_data"],
  ["Hillside Dental: you have won a toothbrush, come and get it.", "samples.urgency"],
  ["Hillside Dental: a collection agency has your account now.", "content.prohibited_debt"],
  ["Hillside Dental: ask us about CBD for your recovery.", "content.prohibited_cannabis"],
  ["Hillside Dental: win the jackpot of our raffle tonight.", "content.prohibited_gambling"],
  ["Hillside Dental: payday loans for your new crown, today.", "content.prohibited_loans"],
  ["Hillside Dental: pay with bitcoin and save your time.", "content.prohibited_crypto"],
  ["Hillside Dental: adult entertainment in our waiting room.", "content.prohibited_adult"],
  ["Hillside Dental: we now sell ammunition at the front desk.", "content.prohibited_firearms"],
  ["Hillside Dental: we now sell cigars at the front desk.", "content.prohibited_tobacco"],
  ["Hillside Dental: death to plaque and to all who like it.", "content.prohibited_hate"],
  ["Hillside Dental: we sell dental leads to other practices.", "content.prohibited_leads"],
  [
    "Hillside Dental: su cita es mañana a las diez, por favor llame para que la confirmemos.",
    "language.not_english",
  ],
  [
    "Hillside Dental: 482913 is your code, see https://hillside.example.com/x",
    "samples.code_link",
    "2fa",
  ],
];

for (const [sample, code, useCase] of ONE_EACH) {
  test(`${code}: ${sample.slice(0, 50)}`, () => {
    const second =
      useCase === "2fa" ? "Hillside Dental: 150872 is the code for your new phone." : GOOD;
    assert.deepEqual(problems([second, sample], useCase), [`${code} 1`]);
  });
}

test("good examples have no problem", () => {
  assert.deepEqual(problems([GOOD, OTHER]), []);
  assert.deepEqual(
    problems([
      "Hillside Dental: visit hillside.example.com or write to hi@hillside.example.com.",
      GOOD,
    ]),
    [],
  );
});

test("rules on the set: number, opt-out wording, codes, kinds, likeness", () => {
  assert.deepEqual(problems([GOOD]), ["samples.count"]);
  assert.deepEqual(problems([]), ["samples.count"]);
  assert.deepEqual(problems([GOOD, OTHER], "marketing"), ["samples.opt_out_missing"]);
  assert.deepEqual(problems([GOOD, `${OTHER} Reply STOP to opt out.`], "marketing"), []);
  assert.deepEqual(problems([GOOD, OTHER], "2fa"), ["samples.code_missing"]);
  assert.deepEqual(problems([GOOD, `${OTHER} Reply STOP to end.`], "mixed"), [
    "samples.use_case_missing",
  ]);
  assert.deepEqual(problems([GOOD, GOOD.replace("2:30", "4:15")]), ["samples.duplicate"]);
});
