/**
 * Fails on imports in a circle, types included, between folders or files; on an import of
 * `packages/server` that points up in the declared order; and on exports without a user.
 */
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { sourcesBelow, unusedExports } from "./exports.ts";
import {
  circlesIn,
  explainCircle,
  fileOf,
  folderOf,
  importsBelow,
  orderProblems,
  roomsBelow,
} from "./layers.ts";
import { SERVER_LAYERS } from "./server-layers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SERVER = "packages/server/src";
/** Published packages: programs elsewhere use exports that this repository does not. */
const PUBLISHED = /^packages\/(contract|sdk|smpp)\/src\//;

function sourceFolders(): string[] {
  const packages = readdirSync(join(ROOT, "packages"))
    .flatMap((name) => [`packages/${name}/src`, `packages/${name}/testing`])
    .filter((folder) => existsSync(join(ROOT, folder)));
  return [...packages, "scripts", "bench"];
}

function importProblems(folder: string): string[] {
  const imports = importsBelow(join(ROOT, folder));
  const between = folder.endsWith("/src") ? circlesIn(imports, folderOf) : [];
  const circles = [...between, ...circlesIn(imports, fileOf)].map(
    (circle) => `${folder}: ${explainCircle(circle)}`,
  );
  if (folder !== SERVER) return circles;
  return [...circles, ...orderProblems(imports, roomsBelow(join(ROOT, SERVER)), SERVER_LAYERS)];
}

function unusedProblems(): string[] {
  const sources = sourcesBelow(["packages", "scripts", "bench"].map((name) => join(ROOT, name)));
  const named = sources.map(({ path, text }) => ({ path: relative(ROOT, path), text }));
  const unused = unusedExports(
    named,
    (path) => !PUBLISHED.test(path) && !/\.test\.tsx?$/.test(path),
  );
  return unused.map((one) => `${one} is exported, and no other file uses it.`);
}

/** Returns the problems, and where there are imports among them, how to mend those. */
export function layerProblems(): string[] {
  const imports = sourceFolders().flatMap(importProblems);
  const advice =
    "Imports only go down. Move what both sides need below them, or pass it in from app/assemble.ts (ARCHITECTURE.md, Layers).";
  return [...imports, ...unusedProblems(), ...(imports.length > 0 ? [advice] : [])];
}
