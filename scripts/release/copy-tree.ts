/** A throw-away copy of the repository, so that a failed release and a dry run change nothing. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TreeCopy {
  readonly folder: string;
  /** Copies every file that differs back, and returns their paths. */
  bringBack(): string[];
  remove(): void;
}

/** Tracked and new files. Installed packages are links, except the workspaces, which are the copy's own. */
export function copyTree(root: string): TreeCopy {
  const folder = mkdtempSync(join(tmpdir(), "lw-release-"));
  for (const path of filesOf(root)) copyFile(root, folder, path);
  linkPackages(join(root, "node_modules"), folder);
  return {
    folder,
    bringBack: () => {
      const changed = sourcesUnder(folder, "").filter((path) => !isSame(root, folder, path));
      for (const path of changed) copyFile(folder, root, path);
      return changed;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function filesOf(root: string): string[] {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0");
  return files.filter((path) => path !== "" && existsSync(join(root, path)));
}

function copyFile(from: string, to: string, path: string): void {
  mkdirSync(join(to, dirname(path)), { recursive: true });
  cpSync(join(from, path), join(to, path));
}

/** Paths without builds and packages, which the copy has beside its sources. */
function sourcesUnder(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    return entry.isDirectory() ? sourcesUnder(root, path) : [path];
  });
}

function isSame(left: string, right: string, path: string): boolean {
  const other = join(left, path);
  return existsSync(other) && readFileSync(other).equals(readFileSync(join(right, path)));
}

function linkPackages(installed: string, copy: string): void {
  const own = new Map<string, string>();
  const packages = readdirSync(join(copy, "packages")).map((name) => `packages/${name}`);
  for (const path of ["examples", ...packages]) {
    const manifest = JSON.parse(readFileSync(join(copy, path, "package.json"), "utf8"));
    own.set(manifest.name, path);
  }
  const modules = join(copy, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(installed)) {
    const isOwn = [...own.keys()].some((key) => key === name || key.startsWith(`${name}/`));
    if (!isOwn && !name.startsWith(".longwave-")) {
      symlinkSync(join(installed, name), join(modules, name));
    }
  }
  for (const [name, path] of own) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(copy, path), join(modules, name));
  }
}

/**
 * Marks the installed packages as those of the lock file: a new version changes the workspaces' entries alone, and
 * those are links.
 */
export function keepInstalled(root: string): void {
  copyFileSync(join(root, "package-lock.json"), join(root, "node_modules", ".longwave-lock.json"));
}
