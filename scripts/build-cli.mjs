// Bundles the command line: a small entry, and chunks that a command loads when it needs them. The server is a
// package of its own and stays outside.
import { chmodSync } from "node:fs";
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
}
