/** Imports between the folders or files of a package, and the circles and upward imports among them. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Layer } from "./server-layers.ts";

/** One import; both paths are relative to the package's `src`. */
export interface Import {
  readonly file: string;
  readonly target: string;
}

const IMPORTED = /^\s*(?:import|export)\b[^"';]*?\bfrom\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;

/** Relative imports of a source text, types included. */
export function importsIn(text: string): string[] {
  return [...text.matchAll(IMPORTED)].map((match) => (match[1] ?? match[2]) as string);
}

/** Every relative import of a package's sources; tests are exempt. */
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

/** First folder of a path; a file directly in `src` counts as a folder of its own. */
export function folderOf(path: string): string {
  const [first = "", ...rest] = path.split(sep);
  return rest.length === 0 ? first : `${first}/`;
}

/** Room of a path: layer and the folder or file directly in it, `messaging/outbound` or `app/main.ts`. */
function roomOf(path: string): string {
  return path.split(sep).slice(0, 2).join("/");
}

export function fileOf(path: string): string {
  return path;
}

/** Imports from part to part, by importing part. Imports that leave `src` are left out. */
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

/** Parts that reach each other, with the imports between them, smallest edge first. */
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

/** Describes a circle for a person, beginning with the edge that is easiest to remove. */
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

/** Imports that point up in the declared order, rooms missing from the table, and listed rooms that do not exist. */
export function orderProblems(
  imports: readonly Import[],
  rooms: ReadonlySet<string>,
  layers: readonly Layer[],
): string[] {
  const listed = layers.flatMap(({ name, rooms: own }) => own.map((room) => `${name}/${room}`));
  const position = new Map(listed.map((room, index) => [room, index]));
  const missing = [...rooms]
    .filter((room) => !position.has(room))
    .map((room) => `${room} is missing from SERVER_LAYERS (scripts/server-layers.ts).`);
  const gone = listed
    .filter((room) => !rooms.has(room))
    .map((room) => `SERVER_LAYERS (scripts/server-layers.ts) lists ${room}, which does not exist.`);
  const upward = imports.flatMap(({ file, target }) => {
    const [from, to] = [position.get(roomOf(file)), position.get(roomOf(target))];
    if (from === undefined || to === undefined || from <= to) return [];
    return [`${file} imports ${target}, which is further up in SERVER_LAYERS.`];
  });
  return [...missing, ...gone, ...upward];
}

/** Rooms that exist below a package's `src`. */
export function roomsBelow(src: string): Set<string> {
  return new Set(
    readdirSync(src, { withFileTypes: true }).flatMap((layer) =>
      layer.isDirectory()
        ? readdirSync(join(src, layer.name))
            .filter((room) => !/\.test\.tsx?$/.test(room))
            .map((room) => `${layer.name}/${room}`)
        : [layer.name],
    ),
  );
}
