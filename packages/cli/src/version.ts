import { readFileSync } from "node:fs";

/** Beside the built file lies the manifest of the package, as it does beside the source. */
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const VERSION = manifest.version;
