// Installs and builds what serving needs, and no development tools. Every step prints its name.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { outdated, TARGETS } from "./build-state.mjs";
import { ensureInstalledForServing, root } from "./install.mjs";
import { runStep } from "./steps.mjs";

const BUILD = join(root, "scripts/build.mjs");

/**
 * `isConsoleLate`: leaves out a first console, and returns whether it did. An older console is replaced before the
 * start, because a server keeps the pages that it found.
 */
export async function prepareServing({ isConsoleLate = false } = {}) {
  const targets = outdated();
  const isLate = (name) => isConsoleLate && name === "console" && !existsSync(TARGETS[name].out);
  const first = targets.filter((name) => !isLate(name));
  const isLeftOut = first.length < targets.length;
  await ensureInstalledForServing({
    isBuilt: targets.length === 0,
    isConsoleLate: isLeftOut,
  });
  if (first.length > 0) await runStep("Building", process.execPath, [BUILD, ...first]);
  return isLeftOut;
}
