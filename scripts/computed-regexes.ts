/** Expressions that the sources compute with `new RegExp`, which `check-regexes.mjs` cannot read. */
import { execFileSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";

type IsSlow = (expression: { readonly pattern: string; readonly flags: string }) => boolean;
const check: { readonly isSlow: IsSlow } = await import(
  new URL("regexes.mjs", import.meta.url).href
);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Loads a module again that this process has loaded before. */
const FRESH = "?computed";

/** Files that compute expressions later, each with the reason why nobody can make them slow. */
const LATER: Readonly<Record<string, string>> = {
  "packages/contract/src/openapi/samples.ts": "patterns of our own schemas, on our own examples",
  "packages/server/src/core/db/schema/shard-check.ts": "our own SQL",
};

/** Files of the sources that compute expressions. */
function filesThatCompute(): string[] {
  const pattern = ["grep", "--untracked", "-lE", "new RegExp\\("];
  const where = ["packages/*/src/*.ts", ":!*.test.ts", ":!packages/sdk/src/contract"];
  const found = execFileSync("git", [...pattern, "--", ...where], { cwd: ROOT, encoding: "utf8" });
  return found.split("\n").filter((path) => path !== "");
}

/** Loads those files, and returns problems of the expressions that they construct meanwhile. */
export async function computedRegexProblems(): Promise<string[]> {
  const files = filesThatCompute();
  const made = await expressionsOf(files);
  const silent = files.filter((file) => !made.some(({ path }) => path === file));
  const unseen = silent.filter((file) => LATER[file] === undefined);
  const needless = Object.keys(LATER).filter((file) => !silent.includes(file));
  return [
    ...unseen.map(
      (path) => `${path}: compute expressions when the module loads, so that the check sees them.`,
    ),
    ...needless.map((path) => `${path}: computes nothing later. Remove it from LATER.`),
    ...made
      .filter(check.isSlow)
      .map(({ path, pattern }) => `${path}: ${pattern}: read each character in one way only.`),
  ];
}

interface Computed {
  readonly path: string;
  readonly pattern: string;
  readonly flags: string;
}

async function expressionsOf(files: readonly string[]): Promise<Computed[]> {
  const made = new Map<string, Computed>();
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given: [string, string?]) {
      const expression = new target(...given);
      const caller = new Error("caller").stack?.split("\n")[2] ?? "";
      const path = files.find((file) => caller.includes(`/${file}`));
      const { source: pattern, flags } = expression;
      if (path) made.set(`${path} ${pattern}`, { path, pattern, flags });
      return expression;
    },
  });
  try {
    for (const file of files) await import(pathToFileURL(`${ROOT}${file}`).href + FRESH);
  } finally {
    globalThis.RegExp = original;
  }
  return [...made.values()];
}
