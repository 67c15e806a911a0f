import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

type IsSlow = (expression: { readonly pattern: string; readonly flags: string }) => boolean;
const check: { readonly isSlow: IsSlow } = await import(
  new URL("regexes.mjs", import.meta.url).href
);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files that compute expressions later, each with the reason why nobody can make them slow. */
const LATER: Readonly<Record<string, string>> = {
  "packages/contract/src/openapi/samples.ts": "patterns of our own schemas, on our own examples",
  "packages/server/src/core/db/schema/shard-check.ts": "our own SQL",
};

/** Files of the sources that compute expressions, which `check-regexes.mjs` cannot read. */
function filesThatCompute(): string[] {
  const pattern = ["grep", "--untracked", "-lE", "new RegExp\\("];
  const where = ["packages/*/src/*.ts", ":!*.test.ts", ":!packages/sdk/src/contract"];
  const found = execFileSync("git", [...pattern, "--", ...where], { cwd: ROOT, encoding: "utf8" });
  return found.split("\n").filter((path) => path !== "");
}

test("expressions that the sources compute take linear time", async (t) => {
  const made = new Map<string, { path: string; pattern: string; flags: string }>();
  const files = filesThatCompute();
  const original = globalThis.RegExp;
  t.after(() => {
    globalThis.RegExp = original;
  });
  globalThis.RegExp = new Proxy(original, {
    construct(target, given: [string, string?]) {
      const expression = new target(...given);
      const caller = new Error("who makes it").stack?.split("\n")[2] ?? "";
      const path = files.find((file) => caller.includes(`/${file}:`));
      const { source: pattern, flags } = expression;
      if (path) made.set(`${path} ${pattern}`, { path, pattern, flags });
      return expression;
    },
  });
  for (const file of files) await import(pathToFileURL(`${ROOT}${file}`).href);
  globalThis.RegExp = original;
  const silent = files.filter((file) => ![...made.values()].some(({ path }) => path === file));
  assert.deepEqual(
    silent,
    Object.keys(LATER),
    "Compute expressions when the module loads, so that this test sees them.",
  );
  const slow = [...made.values()].filter(check.isSlow);
  assert.deepEqual(
    slow.map(({ path, pattern }) => `${path}: ${pattern}`),
    [],
    "Rewrite these so that each character can be read in one way only.",
  );
});
