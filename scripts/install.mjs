// Installs the dependencies when they are missing or older than the lock file. No dependencies.
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runStep } from "./steps.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_OLDEST = [20, 20];

/** The dependencies of the workspaces, or of a folder that has a lock file of its own. */
export async function ensureInstalled(folder = root, what = "dependencies") {
  refuseOldNode();
  const lockFile = join(folder, "package-lock.json");
  const installedLock = join(folder, "node_modules", ".longwave-lock.json");
  if (existsSync(installedLock) && readFileSync(installedLock).equals(readFileSync(lockFile)))
    return;
  // Not `npm ci`: it refuses a lock file without the binaries of platforms that are not ours.
  const args = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  await runStep(`Installing ${what}`, "npm", args, { cwd: folder });
  copyFileSync(lockFile, installedLock);
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
