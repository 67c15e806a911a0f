// Builds the SDK into packages/sdk/dist: modules for import, one file per entry for require, and
// types for both.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { root } from "./install.mjs";
import { pointToModules } from "./pack/declarations.mjs";
import { runStep } from "./steps.mjs";

const folder = join(root, "packages/sdk");
const dist = join(folder, "dist");
const ENTRIES = ["index", "node"];

export async function buildSdk() {
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  for (const config of ["tsconfig.build.json", "tsconfig.build-node.json"]) {
    await runStep(`Compiling the SDK (${config})`, process.execPath, [
      tsc,
      "-p",
      join(folder, config),
    ]);
  }
  const types = pointToModules(join(dist, "esm"));
  await bundleForRequire();
  for (const name of types) {
    mkdirSync(dirname(join(dist, "cjs", name)), { recursive: true });
    copyFileSync(join(dist, "esm", name), join(dist, "cjs", name));
  }
  // Marks the files beside it as CommonJS, for Node and TypeScript alike.
  writeFileSync(join(dist, "cjs/package.json"), '{ "type": "commonjs" }\n');
}

async function bundleForRequire() {
  await build({
    entryPoints: ENTRIES.map((name) => join(folder, "src", `${name}.ts`)),
    outdir: join(dist, "cjs"),
    bundle: true,
    platform: "neutral",
    format: "cjs",
    target: "es2022",
    external: ["node:*"],
    logLevel: "warning",
  });
}
