// Builds the SMPP package into packages/smpp/dist: modules and their types.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { pointToModules } from "./pack/declarations.mjs";
import { runStep } from "./steps.mjs";

const folder = join(root, "packages/smpp");

export async function buildSmpp() {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const config = join(folder, "tsconfig.build.json");
  await runStep("Compiling the SMPP package", process.execPath, [tsc, "-p", config]);
  pointToModules(join(folder, "dist"));
}
