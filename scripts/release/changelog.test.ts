import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseChangelog, sectionOf } from "./changelog.ts";

const HEAD = "# Changelog\n\nAll notable changes.\n\n";
const ENTRIES = "### Added\n\n- One thing.\n\n### Fixed\n\n- Another.";
const OLDER = "## 0.1.0 - 2026-11-16\n\n### Added\n\n- The first.\n";

test("unreleased entries become the version's section, and an empty one stands above", () => {
  const { changelog, notes } = releaseChangelog(
    `${HEAD}## Unreleased\n\n${ENTRIES}\n\n${OLDER}`,
    "0.2.0",
    "2026-12-01",
  );
  assert.equal(
    changelog,
    `${HEAD}## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n${ENTRIES}\n\n${OLDER}`,
  );
  assert.equal(notes, ENTRIES);
  assert.equal(sectionOf(changelog, "0.2.0"), ENTRIES);
  assert.equal(sectionOf(changelog, "0.1.0"), "### Added\n\n- The first.");
});

test("the first release needs no section below", () => {
  const { changelog, notes } = releaseChangelog(
    `${HEAD}## Unreleased\n\n${ENTRIES}\n`,
    "0.1.0",
    "2026-12-01",
  );
  assert.equal(changelog, `${HEAD}## Unreleased\n\n## 0.1.0 - 2026-12-01\n\n${ENTRIES}\n`);
  assert.equal(notes, ENTRIES);
});

test("a version is not another one that begins the same way", () => {
  assert.equal(sectionOf("## 0.1.01 - 2026-11-16\n\n- One.\n", "0.1.0"), null);
  assert.equal(sectionOf("## 0x1.0 - 2026-11-16\n\n- One.\n", "0.1.0"), null);
});

test("nothing to release, a released version and a missing section are refused", () => {
  const release = (text: string) => () => releaseChangelog(text, "0.1.0", "2026-12-01");
  assert.throws(release(`${HEAD}## Unreleased\n\n### Added\n`), /lists nothing under Unreleased/);
  assert.throws(release(`${HEAD}## Unreleased\n\n${OLDER}`), /a section for 0\.1\.0 already/);
  assert.throws(release(`${HEAD}${ENTRIES}`), /no section "## Unreleased"/);
});
