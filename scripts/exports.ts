/**
 * Finds unused exports, by name. A value that no other file names should not be exported, or is dead. A type may be
 * exported for the signature of an exported function, but its own file must use it then.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Source {
  readonly path: string;
  readonly text: string;
}

const SKIPPED = new Set(["node_modules", "dist", "generated", ".git"]);
const DECLARED =
  /^export (?:abstract )?(?:async )?(const|let|function\*?|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
const WORD = /[A-Za-z_$][\w$]*/g;

/** Every file of code below these folders. */
export function sourcesBelow(folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (SKIPPED.has(entry.name)) return [];
      if (entry.isDirectory()) return sourcesBelow([path]);
      return /\.(?:tsx?|mjs)$/.test(entry.name) ? [{ path, text: readFileSync(path, "utf8") }] : [];
    }),
  );
}

interface Export {
  readonly name: string;
  readonly isType: boolean;
}

/** Exports declared in a file; a re-exported name counts where it is declared. */
export function exportsIn(text: string): Export[] {
  return [...text.matchAll(DECLARED)].map(([, kind, name = ""]) => ({
    name,
    isType: kind === "interface" || kind === "type",
  }));
}

/** Exports of the checked files that nothing uses, as `path: name`. */
export function unusedExports(
  sources: readonly Source[],
  isChecked: (path: string) => boolean,
): string[] {
  const files = new Map<string, number>();
  for (const { text } of sources) {
    for (const word of new Set(text.match(WORD))) files.set(word, (files.get(word) ?? 0) + 1);
  }
  return sources
    .filter(({ path }) => isChecked(path))
    .flatMap(({ path, text }) => {
      const words = text.match(WORD) ?? [];
      const isUnused = ({ name, isType }: Export) =>
        files.get(name) === 1 && !(isType && words.filter((word) => word === name).length > 1);
      return exportsIn(text)
        .filter(isUnused)
        .map(({ name }) => `${path}: ${name}`);
    });
}
