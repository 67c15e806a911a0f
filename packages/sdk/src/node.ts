/** Node-only parts that need a file system: `@longwave/sdk/node`. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ListenState, ListenStore } from "./listen.ts";

/** Keeps a listener's position in a file, with atomic writes. */
export function fileStore(path: string): ListenStore {
  return {
    load: () => load(path),
    save: (state) => save(path, state),
  };
}

async function load(path: string): Promise<ListenState | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return null;
    throw error;
  }
  const state = parse(text);
  if (state === null)
    throw new Error(`${path} holds no listener's place: remove it to begin anew.`);
  return state;
}

function parse(text: string): ListenState | null {
  try {
    const { cursor, handled } = JSON.parse(text) as Partial<ListenState>;
    return typeof cursor === "string" && Array.isArray(handled) ? { cursor, handled } : null;
  } catch {
    return null;
  }
}

async function save(path: string, state: ListenState): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.new`;
  await writeFile(unfinished, JSON.stringify(state), { mode: 0o600 });
  await rename(unfinished, path);
}
