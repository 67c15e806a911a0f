// npm run bench: builds the server, drives it from outside, and compares it with other software in the same run.
import { join } from "node:path";
import { isBuilt } from "./build-state.mjs";
import { ensureInstalled, root } from "./install.mjs";
import { runChild, runStep } from "./steps.mjs";

await ensureInstalled();
if (!isBuilt("server"))
  await runStep("Building", process.execPath, [join(root, "scripts/build.mjs"), "server"]);
const args = ["--import", "tsx", "--conditions=@longwave/source", "bench/run.ts"];
process.exit(await runChild(process.execPath, [...args, ...process.argv.slice(2)], { cwd: root }));
