import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Checksums of released migrations by name. The files never change again. */
export type Frozen = Readonly<Record<string, string>>;

const FILE = fileURLToPath(new URL("./first-version/frozen.json", import.meta.url));

export function readFrozen(): Frozen {
  return JSON.parse(readFileSync(FILE, "utf8")) as Frozen;
}

export function writeFrozen(frozen: Frozen): void {
  writeFileSync(FILE, `${JSON.stringify(frozen, null, 2)}\n`);
}
