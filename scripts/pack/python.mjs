import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../install.mjs";

/** Pythons to build with: the first that has the tools. Debian's has them beside another one. */
const PYTHONS = ["python3", "/usr/bin/python3"];
const TOOLS = "import setuptools, wheel";
// setuptools changes sys.argv while it builds.
const BUILD = `
import sys
from setuptools import build_meta
folder = sys.argv[1]
print("built", build_meta.build_sdist(folder))
print("built", build_meta.build_wheel(folder))
`;
export const MISSING =
  "The Python package was not packed: no python3 has setuptools and wheel. Run: apt-get install python3-setuptools python3-wheel";

/** The Python with the tools to build packages; null where there is none. */
export function pythonWithTools() {
  const works = (python) => spawnSync(python, ["-c", TOOLS], { stdio: "ignore" }).status === 0;
  return PYTHONS.find(works) ?? null;
}

/** Packs the Python client into `out`: a source distribution and a wheel. Answers their paths; none without tools. */
export function packPython(out) {
  const python = pythonWithTools();
  if (python === null) return [];
  const stage = join(out, "python");
  mkdirSync(out, { recursive: true });
  const generator = join(root, "scripts/build-python.ts");
  const flags = ["--import", "tsx", "--conditions=@longwave/source"];
  run(process.execPath, [...flags, generator, stage], root);
  const printed = run(python, ["-c", BUILD, out], stage);
  return [...printed.matchAll(/^built (.+)$/gm)].map(([, name]) => join(out, name));
}

function run(program, given, cwd) {
  const result = spawnSync(program, given, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (result.status === 0) return result.stdout;
  throw new Error(`The Python package was not built: ${result.stderr.slice(-2_000)}`);
}
