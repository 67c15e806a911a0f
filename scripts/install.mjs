// Installs the dependencies when they are missing or older than the lock file. No dependencies.
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runStep } from "./steps.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_OLDEST = [20, 20];

/** Name of the copy of the lock file that lies beside the packages installed from it. */
const ALL = ".longwave-lock.json";
const SERVING = ".longwave-lock-serving.json";
const BUILT = ".longwave-lock-built.json";
const MARKERS = [ALL, SERVING, BUILT];

/** The dependencies of the workspaces, or of a folder that has a lock file of its own. */
export async function ensureInstalled(folder = root, what = "dependencies") {
  refuseOldNode();
  // Explicit, because NODE_ENV=production would leave devDependencies out.
  if (!isInstalled(folder, ALL)) await install(folder, ALL, what, ["--include=dev"]);
}

/**
 * Dependencies for building and serving only: a third of the packages, and a quicker first start. Where everything is
 * built already, those of the server alone. An installation that has more keeps it.
 */
export async function ensureInstalledForServing({ isBuilt = false } = {}) {
  refuseOldNode();
  const enough = isBuilt ? MARKERS : [ALL, SERVING];
  if (enough.some((marker) => isInstalled(root, marker))) return;
  if (existsSync(join(root, "node_modules", ALL))) return ensureInstalled();
  if (isBuilt) {
    await install(root, BUILT, "what the server needs", [
      "--omit=dev",
      "--workspace=packages/server",
    ]);
  } else await install(root, SERVING, "what serving needs", ["--omit=dev"]);
}

function isInstalled(folder, marker) {
  const installedLock = join(folder, "node_modules", marker);
  if (!existsSync(installedLock)) return false;
  return readFileSync(installedLock).equals(readFileSync(join(folder, "package-lock.json")));
}

async function install(folder, marker, what, more) {
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...more];
  // An interrupted install leaves neither the old state nor the new one.
  for (const name of MARKERS) rmSync(join(folder, "node_modules", name), { force: true });
  await runStep(`Installing ${what}`, "npm", args, { cwd: folder });
  copyFileSync(join(folder, "package-lock.json"), join(folder, "node_modules", marker));
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = NODE_OLDEST;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(
    `Longwave needs Node.js ${NODE_OLDEST.join(".")} or newer; this is ${process.version}.`,
  );
  process.exit(1);
}
