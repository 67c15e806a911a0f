// Installs and builds everything that serving needs, and no development tools: for `npm start`, images and units.
// Every step prints its name.
import { join } from "node:path";
import { outdated } from "./build-state.mjs";
import { ensureInstalledForServing, root } from "./install.mjs";
import { runStep } from "./steps.mjs";

const isBuilt = outdated().length === 0;
await ensureInstalledForServing({ isBuilt });
if (!isBuilt) {
  await runStep("Building", process.execPath, [join(root, "scripts/build.mjs")]);
}
