// Installs the dependencies when they are missing or older than the lock file. No dependencies.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFile = join(root, "package-lock.json");
const installedLock = join(root, "node_modules", ".longwave-lock.json");

export function ensureInstalled() {
  if (existsSync(installedLock) && readFileSync(installedLock).equals(readFileSync(lockFile)))
    return;
  console.error("Installing dependencies …");
  // Not `npm ci`: it refuses a lock file without the binaries of platforms that are not ours.
  const args = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const result = spawnSync("npm", args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (result.status !== 0) {
    console.error("npm install failed. Its own lines above say why.");
    process.exit(result.status ?? 1);
  }
  copyFileSync(lockFile, installedLock);
}
