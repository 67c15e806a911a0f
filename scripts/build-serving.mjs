// Installs and builds what serving needs, and nothing for working on the code: what `npm start` does before
// it serves, and all that an image or a unit needs. Every step says what it does.
import { join } from "node:path";
import { outdated } from "./build-state.mjs";
import { ensureInstalledForServing, root } from "./install.mjs";
import { runStep } from "./steps.mjs";

await ensureInstalledForServing();
if (outdated().length > 0) {
  await runStep("Building", process.execPath, [join(root, "scripts/build.mjs")]);
}
