// Tells whether the build is that of the sources as they are. No dependencies.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

export const out = join(root, "packages/server/dist");
/** Beside the build. */
const stampName = "built-from";
const notSources = /^(?:dist.*|node_modules|test|testing)$/;

/** Changes whenever a source, a dependency or the way of building does. */
export function sourcesStamp() {
  const hash = createHash("sha256");
  const files = [
    join(root, "package-lock.json"),
    join(root, "scripts/build.mjs"),
    ...filesIn(join(root, "packages")),
  ];
  for (const file of files.sort((a, b) => (a < b ? -1 : 1))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\n${size}\n${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return notSources.test(entry.name) ? [] : filesIn(path);
  });
}

export function writeStamp(folder, stamp) {
  writeFileSync(join(folder, stampName), stamp);
}

export function isBuilt() {
  try {
    return readFileSync(join(out, stampName), "utf8") === sourcesStamp();
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}
