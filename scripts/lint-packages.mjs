// npm run lint:packages: checks the packed packages with publint, and their types with @arethetypeswrong/cli. Both
// are outside the workspaces and are installed on first use.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./install.mjs";

const folder = join(root, "lint/packages");
const tarballs = process.argv.slice(2);
if (tarballs.length === 0) {
  console.error("Usage: node scripts/lint-packages.mjs file.tgz …   (npm run pack makes them)");
  process.exit(2);
}
await ensureInstalled(folder, "the linters of packages");
for (const tarball of tarballs) {
  run("publint", [tarball, "--strict"]);
  // Programs have no types, and Node 10's resolution does not know `exports`.
  if (tarball.includes("sdk")) run("attw", [tarball, "--profile", "node16", "--no-emoji"]);
  if (tarball.includes("smpp")) run("attw", [tarball, "--profile", "esm-only", "--no-emoji"]);
}

function run(name, args) {
  const result = spawnSync(join(folder, "node_modules/.bin", name), args, { stdio: "inherit" });
  if (result.status === 0) return;
  console.error(`${args[0]} does not pass ${name}.`);
  process.exitCode = 1;
}
