// Installs the dependencies when they are missing or older than the lock file. No dependencies.
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild, runStep } from "./steps.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_OLDEST = [20, 20];

/** Name of the copy of the lock file that lies beside the packages installed from it. */
const ALL = ".longwave-lock.json";
const SERVING = ".longwave-lock-serving.json";
const FIRST = ".longwave-lock-first.json";
const BUILT = ".longwave-lock-built.json";
const MARKERS = [ALL, SERVING, FIRST, BUILT];
/** npm's own list of what it has installed, and the copy of it after a first start. */
const NPM_LIST = ".package-lock.json";
const FIRST_LIST = ".longwave-first-packages.json";
const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const ADD = ["install", "--no-save"];

/** The dependencies of the workspaces, or of a folder that has a lock file of its own. */
export async function ensureInstalled(folder = root, what = "dependencies") {
  refuseOldNode();
  // Explicit, because NODE_ENV=production would leave devDependencies out.
  if (isInstalled(folder, ALL)) return;
  const isStarted = isInstalled(folder, FIRST);
  if (isStarted) removeLeftovers();
  // Packages of a start from the same lock file stay: `npm ci` would extract all of them again.
  const command = isStarted || isInstalled(folder, SERVING) ? ADD : ["ci"];
  await install(folder, ALL, what, [...command, "--include=dev"]);
}

/**
 * Installs dependencies for building and serving only: a third of the packages, and a quicker first start. With
 * `isBuilt` it installs the server's alone; with `isConsoleLate` it leaves out the console's build tools. Packages
 * that are installed already stay.
 */
export async function ensureInstalledForServing({ isBuilt = false, isConsoleLate = false } = {}) {
  refuseOldNode();
  const enough = isBuilt ? MARKERS : [ALL, SERVING, ...(isConsoleLate ? [FIRST] : [])];
  if (enough.some((marker) => isInstalled(root, marker))) return;
  if (existsSync(join(root, "node_modules", ALL))) return ensureInstalled();
  const server = ["--omit=dev", "--workspace=packages/server"];
  if (isBuilt) await install(root, BUILT, "what the server needs", ["ci", ...server]);
  else if (isConsoleLate) {
    const more = ["--workspace=packages/cli", "--include-workspace-root"];
    await install(root, FIRST, "what serving needs", ["ci", ...server, ...more]);
    copyFileSync(join(root, "node_modules", NPM_LIST), join(root, "node_modules", FIRST_LIST));
  } else await install(root, SERVING, "what serving needs", ["ci", "--omit=dev"]);
}

/**
 * Adds what builds the console to the packages of a first start, which a running server uses: none of them changes.
 * Returns the exit status of npm.
 */
export async function addConsolePackages() {
  if ([ALL, SERVING].some((marker) => isInstalled(root, marker))) return 0;
  removeLeftovers();
  const args = [...ADD, "--omit=dev", ...QUIET];
  const status = await runChild("npm", args, { cwd: root });
  const lock = join(root, "package-lock.json");
  if (status === 0) copyFileSync(lock, join(root, "node_modules", SERVING));
  return status;
}

/** Removes packages beyond those of the first start: an interrupted attempt may have written half of one. */
function removeLeftovers() {
  const packagesIn = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8")).packages;
  const kept = packagesIn("node_modules", FIRST_LIST);
  for (const path of Object.keys(packagesIn("package-lock.json"))) {
    if (!path.includes("node_modules/") || Object.hasOwn(kept, path)) continue;
    rmSync(join(root, path), { recursive: true, force: true });
  }
}

function isInstalled(folder, marker) {
  const installedLock = join(folder, "node_modules", marker);
  if (!existsSync(installedLock)) return false;
  return readFileSync(installedLock).equals(readFileSync(join(folder, "package-lock.json")));
}

async function install(folder, marker, what, [command, ...options]) {
  const args = [command, ...QUIET, ...options];
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
