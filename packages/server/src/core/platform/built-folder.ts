import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Location of each folder, relative to the repository's root. */
const IN_REPOSITORY = { console: "packages/console/dist", docs: "dist/docs" };

/** Repository root, relative to the bundle in packages/server/dist and to this file. */
const ROOTS = ["../../..", "../../../../.."];

/** A folder of files that the build makes: in a package beside the bundle, else in the repository. */
export function builtFolder(name: keyof typeof IN_REPOSITORY): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const isBundle = here.endsWith("dist");
  const packed = join(here, name);
  if (isBundle && existsSync(packed)) return packed;
  return join(here, ROOTS[isBundle ? 0 : 1] ?? "", IN_REPOSITORY[name]);
}
