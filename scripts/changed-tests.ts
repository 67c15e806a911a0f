/** The test files that a change concerns: those that import a changed source, directly or not. */
import { execFileSync } from "node:child_process";

/** These decide how every test is installed, built or run. */
const CONCERNS_ALL =
  /^(?:package(?:-lock)?\.json|packages\/[^/]+\/package\.json|tsconfig[^/]*\.json|scripts\/(?:test[^/]*|run-tests|bundle-tests|changed-tests|install|build[^/]*|steps)\.(?:ts|mjs))$/;
/** Tests start these sources as programs, built or bundled, which no import shows. */
const IS_IN_PROGRAMS = /^packages\/(?:server|contract|smpp|sdk|cli)\/(?!test\/|.*\.test\.ts$)/;
const STARTS_PROGRAMS = new Set([
  "packages/server/testing/program.ts",
  "packages/server/testing/source-process.ts",
]);
const IS_SOURCE = /\.(?:ts|tsx|mjs|js)$/;

/** Paths from the root of what differs from a commit: committed, staged, edited, and new files. */
export function changedSince(root: string, commit: string): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  const base = git("merge-base", commit, "HEAD")[0] ?? commit;
  const edited = git("diff", "--name-only", "--no-renames", base);
  return [...edited, ...git("ls-files", "--others", "--exclude-standard")];
}

/**
 * Tests find by import most of what they depend on. A changed file that no bundle imports (SQL, a page, JSON, a
 * program that is built) concerns the tests of its package; outside of the packages, those in `scripts`.
 */
export function testsOfChanges(
  inputs: ReadonlyMap<string, readonly string[]>,
  tests: readonly string[],
  changed: readonly string[],
): string[] {
  if (changed.some((path) => CONCERNS_ALL.test(path))) return [...tests];
  const sources = new Set(changed.filter((path) => IS_SOURCE.test(path) && inputs.has(path)));
  const isInPrograms = changed.some((path) => IS_IN_PROGRAMS.test(path));
  const isConcerned = (path: string) =>
    sources.has(path) || (isInPrograms && STARTS_PROGRAMS.has(path));
  const rooms = changed.filter((path) => !sources.has(path)).map(roomOf);
  return tests.filter(
    (test) => rooms.some((room) => test.startsWith(room)) || reaches(inputs, test, isConcerned),
  );
}

function roomOf(path: string): string {
  return (
    /^packages\/[^/]+\//.exec(path)?.[0] ?? (path.startsWith("bench/") ? "bench/" : "scripts/")
  );
}

function reaches(
  inputs: ReadonlyMap<string, readonly string[]>,
  from: string,
  isWanted: (path: string) => boolean,
): boolean {
  const seen = new Set([from]);
  for (const path of seen) {
    if (isWanted(path)) return true;
    for (const imported of inputs.get(path) ?? []) seen.add(imported);
  }
  return false;
}
