// Knows whether a build matches its present sources. No dependencies.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./install.mjs";

/**
 * Build targets and their sources. Each target has its own stamp, so that a change of the console does not rebuild
 * the server, nor the reverse.
 */
export const TARGETS = {
  server: {
    out: join(root, "packages/server/dist"),
    sources: ["packages/server", "packages/contract", "packages/smpp", "scripts/build.mjs"],
  },
  console: {
    out: join(root, "packages/console/dist"),
    sources: ["packages/console", "packages/contract", "packages/sdk"],
  },
  cli: {
    out: join(root, "packages/cli/dist"),
    sources: ["packages/cli", "packages/contract", "packages/sdk", "scripts/build-cli.mjs"],
  },
  docs: {
    out: join(root, "dist/docs"),
    sources: [
      "docs",
      "packages/contract/openapi.json",
      "packages/server/src/surfaces/reference/viewer/highlight.js",
      "scripts/docs",
    ],
  },
};

/** File name of the stamp, stored beside the build. */
const stampName = "built-from";
const notSources = /^(?:dist.*|node_modules|test|testing|.*\.test\.tsx?)$/;

/**
 * Hash that changes with every source, dependency and build setting. Paths are relative and times do not count, so
 * that a build matches in every copy of the repository.
 */
export function sourcesStamp(name) {
  const hash = createHash("sha256");
  const sources = ["package-lock.json", ...TARGETS[name].sources];
  const files = sources.flatMap((source) => filesAt(join(root, source)));
  for (const file of files.sort((a, b) => (a < b ? -1 : 1))) {
    const content = createHash("sha256").update(readFileSync(file)).digest("hex");
    hash.update(`${relative(root, file)}\n${content}\n`);
  }
  return hash.digest("hex");
}

function filesAt(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(path).flatMap((name) =>
    notSources.test(name) ? [] : filesAt(join(path, name)),
  );
}

export function writeStamp(folder, stamp) {
  writeFileSync(join(folder, stampName), stamp);
}

export function isBuilt(name) {
  try {
    return readFileSync(join(TARGETS[name].out, stampName), "utf8") === sourcesStamp(name);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** The targets whose sources have changed since they were built. */
export function outdated() {
  return Object.keys(TARGETS).filter((name) => !isBuilt(name));
}
