/**
 * `npm run check`: types, style, layers, language, regular expressions, generated files. With the name of one of the
 * last four, and paths where it takes any, only that one: `npm run check:language -- README.md`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { layerProblems } from "./check-layers.ts";
import { computedRegexProblems } from "./computed-regexes.ts";
import { generatedProblems } from "./generate.ts";
import { languageProblemsBelow } from "./language.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Untyped, as regexes.mjs is. */
const REGEXES = new URL("check-regexes.mjs", import.meta.url).href;
const EXCERPT_CHARS = 110;

/**
 * Every checker of tsc checks the shared types again, so that the default of four takes twice the processor time of
 * one. A garbage collection at five times the live heap, not twice, saves another quarter.
 */
const PROGRAMS: readonly (readonly string[])[] = [
  ["tsc", "-p", "tsconfig.json", "--checkers", "1"],
  ["tsc", "-p", "packages/console", "--checkers", "1"],
  ["biome", "check", "--error-on-warnings", "."],
];
const PROGRAM_SETTINGS = { GOGC: "400" };

const OWN: Readonly<Record<string, (paths: readonly string[]) => string[] | Promise<string[]>>> = {
  layers: layerProblems,
  language: languageProblems,
  regexes: async (given) => [
    ...(await import(REGEXES)).regexProblems(given),
    ...(given.length > 0 ? [] : await computedRegexProblems()),
  ],
  generated: generatedProblems,
};

function languageProblems(paths: readonly string[]): string[] {
  return languageProblemsBelow(ROOT, paths).map(
    ({ path, line, problem, text }) =>
      `${path}:${line}: ${problem}\n    ${text.slice(0, EXCERPT_CHARS)}`,
  );
}

function show(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** Runs a program to its end. */
function succeeds([name = "", ...args]: readonly string[]): Promise<boolean> {
  const env = { ...process.env, ...PROGRAM_SETTINGS };
  const program = join(ROOT, "node_modules/.bin", name);
  const child = spawn(program, args, { cwd: ROOT, env, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code === 0));
  });
}

/** One program after the other: the tests run beside them. The first that fails ends the check. */
async function checkAll(): Promise<void> {
  for (const program of PROGRAMS) {
    if (await succeeds(program)) continue;
    process.exitCode = 1;
    return;
  }
  for (const one of Object.values(OWN)) show(await one([]));
}

const [name, ...paths] = process.argv.slice(2);
const problemsOf = OWN[name ?? ""];
if (name === undefined) await checkAll();
else if (problemsOf) show(await problemsOf(paths));
else {
  console.error(`There is no check ${name}. Name one of ${Object.keys(OWN).join(", ")}, or none.`);
  process.exitCode = 2;
}
