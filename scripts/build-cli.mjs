// Bundles the command line into packages/cli/dist: a small start, and parts that are loaded when a
// command needs them. The server is a package of its own and stays outside.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./install.mjs";

const folder = join(root, "packages/cli");

export async function buildCli() {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  await build({
    entryPoints: [join(folder, "src/main.ts")],
    outdir: join(folder, "dist"),
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
  chmodSync(join(folder, "dist/main.js"), 0o755);
}
