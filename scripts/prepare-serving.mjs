// Installs and builds what serving needs, and no development tools. Every step prints its name.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { outdated, TARGETS } from "./build-state.mjs";
import { ensureInstalledForServing, root } from "./install.mjs";
import { runStep } from "./steps.mjs";

const BUILD = join(root, "scripts/build.mjs");

/**
 * `isConsoleLate`: builds a first console beside the starting server, whose requests for pages wait for it. An older
 * console is replaced before the start, because a server keeps the pages that it found.
 */
export async function prepareServing({ isConsoleLate = false } = {}) {
  const targets = outdated();
  await ensureInstalledForServing({ isBuilt: targets.length === 0 });
  const isLate = (name) => isConsoleLate && name === "console" && !existsSync(TARGETS[name].out);
  const first = targets.filter((name) => !isLate(name));
  if (first.length > 0) await runStep("Building", process.execPath, [BUILD, ...first]);
  if (targets.some(isLate)) buildBeside("console");
}

function buildBeside(name) {
  const stdio = ["ignore", "ignore", "inherit"];
  const child = spawn(process.execPath, [BUILD, name], { stdio });
  child.unref();
  child.on("close", (status) => {
    if (status !== 0) console.error(`Building the ${name} failed. The lines above say why.`);
  });
}
