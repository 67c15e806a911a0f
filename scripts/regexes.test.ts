import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../packages/server/testing/program.ts";

const CHECK = fileURLToPath(new URL("check-regexes.mjs", import.meta.url));

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
  const { status, stderr } = spawnSync(process.execPath, [CHECK, path], { encoding: "utf8" });
  const named = [...stderr.matchAll(/rules\.ts:(\d+): some input makes/g)].map(([, line]) => line);
  assert.deepEqual([status, named], [1, ["2", "3", "4", "5", "6"]], stderr);
});
