import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../packages/server/testing/temporary-folder.ts";

/** Loaded from its place: the bundle of the tests would move it away from its packages. */
const CHECK = new URL("check-regexes.mjs", import.meta.url).href;

test("the check of regular expressions names slow ones, with file and line", async (t) => {
  const path = join(await temporaryFolder(t), "rules.ts");
  const lines = [
    "export const fine = [/^[a-z]+@[a-z]+$/, /<[^>]*>?/g, { pattern: '^[0-9]{1,9}$' }] as const;",
    "export const nested = /(a+)+$/;",
    "export const traded = /^\\s*x?\\s*$/;",
    "export const trailing = (url: string): string => url.replace(/[.]+$/, '');",
    "export const schema = { pattern: '^[^@]+@[^@]+[.][^@]+$' };",
    "export const NAME_PATTERN = '^(\\\\w+ ?)+$';",
  ];
  await writeFile(path, `${lines.join("\n")}\n`);
  const { regexProblems } = await import(CHECK);
  const named = regexProblems([path]).map(
    (problem: string) => /rules\.ts:(\d+): some input makes/.exec(problem)?.[1] ?? problem,
  );
  assert.deepEqual(named, ["2", "3", "4", "5", "6"]);
});
