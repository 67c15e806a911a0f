/** The linter from the command line: on folders, with each output format. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { writeCorpus } from "../../../../testing/sites/write.ts";
import { lintCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "longwave-lint-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeCorpus(folder);

async function lint(...args: string[]): Promise<{ status: number; out: string; said: string }> {
  const out: string[] = [];
  const said: string[] = [];
  const status = await lintCommand(args, {
    config: { allowTargets: "", blockTargets: "", proxyUrl: null },
    now: () => performance.now(),
    print: (text) => out.push(text),
    say: (line) => said.push(line),
  });
  return { status, out: out.join("\n"), said: said.join("\n") };
}

test("a compliant folder exits with 0, a defect with 1, a usage error with 2", async () => {
  assert.equal((await lint(join(folder, "compliant-hillside-dental-pllc"))).status, 0);
  const defect = await lint(join(folder, "defect-terms-rates-en"));
  assert.equal(defect.status, 1);
  assert.match(
    defect.out,
    /fail {2}terms\.rates_missing {2}The terms do not mention message and data rates/,
  );
  assert.match(defect.out, /terms\.html: /);
  assert.match(defect.out, /1 failing finding, 0 warnings, \d+ passed\./);
  const wrong = await lint(join(folder, "nothing-here"));
  assert.equal(wrong.status, 2);
  assert.match(wrong.said, /is neither an address \(https:…\) nor a folder|is neither an address/);
  assert.equal((await lint(folder, "--use-case", "spam")).status, 2);
  assert.equal((await lint(folder, "--json", "--sarif")).status, 2);
});

test("options override registration.json, and examples come from a file", async () => {
  const samples = join(folder, "samples.txt");
  writeFileSync(samples, "Too short\nAcme: see https://bit.ly/1 for your bill, thank you.\n");
  const site = join(folder, "compliant-hillside-dental-pllc");
  const { status, out } = await lint(
    site,
    "--samples",
    samples,
    "--business-name",
    "Acme",
    "--json",
  );
  assert.equal(status, 1);
  const report = JSON.parse(out);
  const failing = report.findings
    .filter((f: { level: string }) => f.level === "fail")
    .map((f: { code: string }) => f.code);
  assert.ok(failing.includes("samples.too_short"));
  assert.ok(failing.includes("samples.shortener"));
  assert.ok(failing.includes("website.name_missing"));
  assert.equal(report.urls.privacy.found_by, "link");
});

test("SARIF output is valid by the published schema", async () => {
  const schema = JSON.parse(
    readFileSync(new URL("../../../../fixtures/sarif-2.1.0.schema.json", import.meta.url), "utf8"),
  );
  // The schema is draft 4, whose `id` is `$id` today; its other keywords are unchanged.
  const { id: _id, $schema: _draft, ...rest } = schema;
  const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const holds = ajv.compile(rest);
  for (const name of [
    "compliant-hillside-dental-pllc",
    "defect-consent-hidden",
    "defect-script-only",
    "compliant-salon-camila",
  ]) {
    const { out } = await lint(join(folder, name), "--sarif");
    const log = JSON.parse(out);
    assert.ok((holds as (value: unknown) => boolean)(log), JSON.stringify(holds.errors, null, 1));
    for (const result of log.runs[0].results) {
      assert.equal(log.runs[0].tool.driver.rules[result.ruleIndex].id, result.ruleId);
    }
  }
  assert.ok(!holds({ version: "2.1.0", runs: [{ results: [] }] }), "a log without a tool is none");
});

test("without a name the linter takes the page's, and says so", async () => {
  const site = mkdtempSync(join(tmpdir(), "longwave-lint-name-"));
  after(() => rmSync(site, { recursive: true, force: true }));
  writeFileSync(join(site, "index.html"), "<title>Home | Blue Kettle</title><h1>Blue Kettle</h1>");
  const { out } = await lint(site);
  assert.match(out, /Business name: Blue Kettle \(taken from the page/);
});
