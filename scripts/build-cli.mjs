// Bundles the command line: a small entry, and chunks that a command loads when it needs them. The server is a
// package of its own and stays outside.
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./install.mjs";

export async function buildCli(folder) {
  await build({
    entryPoints: [join(root, "packages/cli/src/main.ts")],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@longwave/source"],
    external: ["@longwave/server"],
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
  chmodSync(join(folder, "main.js"), 0o755);
  linkCommand();
}

/** Links the command for `npx longwave`: npm links only files that exist at install time, before the first build. */
function linkCommand() {
  const commands = join(root, "node_modules/.bin");
  mkdirSync(commands, { recursive: true });
  try {
    symlinkSync("../longwave/dist/main.js", join(commands, "longwave"));
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}
