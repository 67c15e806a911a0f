/**
 * Makes the Python client: its sources and the modules generated from the contract. `npm run build:python` writes it to
 * dist/python; a folder as argument replaces that.
 */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonFiles } from "./generate/python-files.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const [, , folder = join(ROOT, "dist/python")] = process.argv;
rmSync(folder, { recursive: true, force: true });
cpSync(join(ROOT, "clients/python"), folder, {
  recursive: true,
  filter: (path) => !path.endsWith("__pycache__"),
});
for (const { path, text } of pythonFiles()) writeFileSync(join(folder, path), text);
console.log(folder);
