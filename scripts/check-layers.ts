/**
 * Fails when folders or files import each other in a circle, types included, and says which imports
 * do; and when something is exported that nothing uses.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { sourcesBelow, unusedExports } from "./exports.ts";
import { circlesIn, explainCircle, fileOf, folderOf, importsBelow } from "./layers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What others than we use: the packages that are published, and the tables they are made from. */
const PUBLISHED = /^packages\/(contract|sdk|smpp)\/src\//;

function sourceFolders(): string[] {
  const packages = readdirSync(join(ROOT, "packages"))
    .flatMap((name) => [`packages/${name}/src`, `packages/${name}/testing`])
    .filter((folder) => existsSync(join(ROOT, folder)));
  return [...packages, "scripts", "bench"];
}

function problems(): string[] {
  const circles = sourceFolders().flatMap((folder) => {
    const imports = importsBelow(join(ROOT, folder));
    const between = folder.endsWith("/src") ? circlesIn(imports, folderOf) : [];
    return [...between, ...circlesIn(imports, fileOf)].map(
      (circle) => `${folder}: ${explainCircle(circle)}`,
    );
  });
  const sources = sourcesBelow(["packages", "scripts", "bench"].map((name) => join(ROOT, name)));
  const named = sources.map(({ path, text }) => ({ path: relative(ROOT, path), text }));
  const unused = unusedExports(
    named,
    (path) => !PUBLISHED.test(path) && !/\.test\.tsx?$/.test(path),
  );
  return [...circles, ...unused.map((one) => `${one} is exported, and no other file uses it.`)];
}

const found = problems();
for (const problem of found) console.error(problem);
if (found.some((problem) => problem.includes("A circle of"))) {
  console.error(
    "Imports only go down. Move what both sides need below them, or hand it in where the server is assembled (ARCHITECTURE.md, Layers).",
  );
}
if (found.length > 0) process.exitCode = 1;
