// npm start: installs, builds and serves. Every step says what it does.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { outdated } from "./build-state.mjs";
import { ensureInstalledForServing, root } from "./install.mjs";
import { runStep } from "./steps.mjs";

await ensureInstalledForServing();
if (outdated().length > 0) {
  await runStep("Building", process.execPath, [join(root, "scripts/build.mjs")]);
}
// The server runs in this very process: nothing stands between it and the signals meant for it.
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(root, "packages/server/dist/main.js")).href);
