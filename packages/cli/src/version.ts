import { readFileSync } from "node:fs";

/** The manifest is one folder above, for the built file and for the source. */
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const VERSION = manifest.version;
