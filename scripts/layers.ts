/**
 * Which folders import which, or which files, types included, and where they go in a circle. A folder
 * is the first one below a package's `src`; a file that lies directly in `src` counts as a folder of
 * its own.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export interface Import {
  /** Paths below the package's `src`. */
  readonly file: string;
  readonly target: string;
}

const IMPORTED = /^\s*(?:import|export)\b[^"';]*?\bfrom\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;

/** The relative imports of one file's text. */
export function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORTED)].map((match) => (match[1] ?? match[2]) as string);
}

/** Every import between the files of a package; tests may import whatever they like. */
export function importsBelow(src: string): Import[] {
  return sourceFiles(src).flatMap((path) =>
    importsIn(readFileSync(path, "utf8")).map((name) => ({
      file: relative(src, path),
      target: relative(src, resolve(dirname(path), name)),
    })),
  );
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

export function folderOf(path: string): string {
  const [first = "", ...rest] = path.split(sep);
  return rest.length === 0 ? first : `${first}/`;
}

/** Every file by itself. */
export function fileOf(path: string): string {
  return path;
}

/** The imports that lead from part to part, by part. Those that leave `src` do not count. */
function graphOf(
  imports: readonly Import[],
  partOf: (path: string) => string,
): Map<string, Map<string, Import[]>> {
  const graph = new Map<string, Map<string, Import[]>>();
  for (const one of imports) {
    const [from, to] = [partOf(one.file), partOf(one.target)];
    if (from === to || one.target.startsWith("..")) continue;
    const edges = graph.get(from) ?? new Map<string, Import[]>();
    graph.set(from, edges);
    edges.set(to, [...(edges.get(to) ?? []), one]);
  }
  return graph;
}

/** Folders that reach each other, and the imports between them; the way with the fewest first. */
export interface Circle {
  readonly folders: readonly string[];
  readonly edges: readonly { from: string; to: string; imports: readonly Import[] }[];
}

export function circlesIn(
  imports: readonly Import[],
  partOf: (path: string) => string = folderOf,
): Circle[] {
  const graph = graphOf(imports, partOf);
  const reached = new Map(
    [...graph.keys()].map((folder) => [folder, reachableFrom(graph, folder)]),
  );
  const left = new Set([...graph.keys()].sort((a, b) => a.localeCompare(b)));
  const circles: Circle[] = [];
  for (const folder of left) {
    const mutual = [...(reached.get(folder) ?? [])].filter((one) => reached.get(one)?.has(folder));
    if (mutual.length === 0) continue;
    const folders = mutual.sort((a, b) => a.localeCompare(b));
    for (const one of folders) left.delete(one);
    const edges = folders.flatMap((from) =>
      [...(graph.get(from) ?? [])]
        .filter(([to]) => folders.includes(to))
        .map(([to, between]) => ({ from, to, imports: between })),
    );
    edges.sort((a, b) => a.imports.length - b.imports.length);
    circles.push({ folders, edges });
  }
  return circles;
}

function reachableFrom(graph: Map<string, Map<string, Import[]>>, start: string): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of graph.get(at)?.keys() ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

const IMPORTS_SHOWN_MAX = 5;

/** A circle for a person: who imports whom, beginning with what is easiest to take out. */
export function explainCircle(circle: Circle): string {
  const lines = circle.edges.map(({ from, to, imports }) => {
    const shown = imports.slice(0, IMPORTS_SHOWN_MAX).map((one) => `${one.file} -> ${one.target}`);
    const more = imports.length - shown.length;
    return [`  ${from} -> ${to}`, ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(
      "\n      ",
    );
  });
  return [`A circle of ${circle.folders.length}: ${circle.folders.join(", ")}`, ...lines].join(
    "\n",
  );
}
