/** The rules against the corpus: they find every planted defect and nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  REGISTRATION_CODES,
  type RegistrationCode,
  registrationCodeSpec,
} from "@longwave/contract";
import { CORPUS } from "../../../testing/sites/corpus.ts";
import { scoreCorpus, scoreTable } from "../../../testing/sites/score.ts";
import { PAGE_RULES } from "./rules/check.ts";
import { SAMPLE_RULES, SAMPLE_SET_RULES } from "./rules/sample-rules.ts";

const { sites, rules } = await scoreCorpus();

test("every planted defect is found, and nothing else", (t) => {
  t.diagnostic(`\n${scoreTable(rules)}`);
  for (const { site, found } of sites) {
    assert.deepEqual(new Set(found), new Set(site.expected), site.name);
  }
});

test("a compliant site has no failing finding, and its examples pass", () => {
  for (const { site, failing, sampleProblems } of sites) {
    if (!/^(?:compliant|mess)-/.test(site.name)) continue;
    assert.deepEqual(failing, [], site.name);
    assert.deepEqual(sampleProblems, [], site.name);
  }
});

test("the corpus is large and varied enough", () => {
  assert.ok(CORPUS.length >= 60);
  assert.equal(new Set(CORPUS.map(({ name }) => name)).size, CORPUS.length);
  assert.deepEqual(
    new Set(CORPUS.map(({ business }) => business.lang)),
    new Set(["en", "es", "fr"]),
  );
});

test("the same pages give the same findings", async () => {
  const again = await scoreCorpus();
  assert.deepEqual(again.rules, rules);
});

test("there are enough rules, and each has a code that can pass", () => {
  const pageCodes = new Set(PAGE_RULES.map(({ code }) => code));
  const sampleCodes = new Set([...SAMPLE_RULES, ...SAMPLE_SET_RULES].map(({ code }) => code));
  assert.ok(pageCodes.size >= 35, `${pageCodes.size} rules on pages`);
  assert.ok(sampleCodes.size >= 15, `${sampleCodes.size} rules on examples`);
  const checkedCodes = new Set([...pageCodes, ...sampleCodes]);
  for (const code of Object.keys(REGISTRATION_CODES) as RegistrationCode[]) {
    const hasRule = checkedCodes.has(code);
    assert.equal(
      registrationCodeSpec(code).passes !== null,
      hasRule,
      `${code} has a rule, or says that it has none`,
    );
  }
});
