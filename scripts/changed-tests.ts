/** The test files that a change concerns: those that import a changed source, directly or not. */
import { execFileSync } from "node:child_process";

/** These decide how every test is installed, built or run. */
const CONCERNS_ALL =
  /^(?:package(?:-lock)?\.json|packages\/[^/]+\/package\.json|tsconfig[^/]*\.json|scripts\/(?:test[^/]*|run-tests|bundle-tests|changed-tests|install|build[^/]*|steps)\.(?:ts|mjs))$/;
/** Tests start these sources as programs, built or bundled, which no import shows. */
const IS_IN_PROGRAMS = /^packages\/(?:server|contract|smpp|sdk|cli)\/(?!test\/|.*\.test\.ts$)/;
const STARTS_PROGRAMS = new Set([
  "packages/server/testing/program.ts",
  "packages/server/testing/server-process.ts",
  "packages/server/testing/worker-process.ts",
  "packages/server/testing/embedded.ts",
]);
/** Tests of the command line start it as a process. */
const COMMAND_LINE = "packages/cli/src/main.ts";
const STARTS_COMMAND_LINE = "packages/cli/test/longwave.ts";

/** Sources above the core, of which the tests' server has all: not every test of it depends on each. */
const IS_DOMAIN_SOURCE = /^packages\/server\/src\/(?!core\/|app\/|.*\.test\.ts$)/;
const IS_IN_SERVER = /^packages\/server\/src\//;
const IS_HELPER = /^packages\/[^/]+\/testing\//;
/** Tests of the whole server, which every change of it concerns. */
const OF_WHOLE_SERVER = new Set(
  ["examples", "error-sentences", "fields-and-filters", "modes-own", "no-op-patches", "nulls"].map(
    (name) => `packages/server/test/${name}.test.ts`,
  ),
);
/** Domains of the tests that lie outside of them. */
const DOMAINS: Readonly<Record<string, string>> = {
  "packages/server/test/attacks/": "packages/server/src/http/limits/",
  "packages/server/test/console/": "packages/server/src/surfaces/console/",
  "packages/server/test/smpp/": "packages/server/src/network/carriers/",
};
const IS_SOURCE = /\.(?:ts|tsx|mjs|js)$/;

/** Paths from the root of what differs from a commit: committed, staged, edited, and new files. */
export function changedSince(root: string, commit: string): string[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  const base = git("merge-base", commit, "HEAD")[0] ?? commit;
  const edited = git("diff", "--name-only", "--no-renames", base);
  return [...edited, ...git("ls-files", "--others", "--exclude-standard")];
}

type Inputs = ReadonlyMap<string, readonly string[]>;

/**
 * Tests find by import most of what they depend on. A changed file that no bundle imports (SQL, a page, JSON, a
 * program that is built) concerns the tests of its package; outside of the packages, those in `scripts`.
 *
 * Tests over HTTP import a helper that imports the whole server. A changed domain source therefore concerns the tests
 * that import it themselves, those of its domain and of the domains that import it, and those of the whole server.
 */
export function testsOfChanges(
  inputs: Inputs,
  tests: readonly string[],
  changed: readonly string[],
): string[] {
  if (changed.some((path) => CONCERNS_ALL.test(path))) return [...tests];
  // A domain source of types alone is in no bundle.
  const isKnown = (path: string) => inputs.has(path) || IS_DOMAIN_SOURCE.test(path);
  const sources = changed.filter((path) => IS_SOURCE.test(path) && isKnown(path));
  const ofDomains = new Set(sources.filter((path) => IS_DOMAIN_SOURCE.test(path)));
  const others = new Set(sources.filter((path) => !ofDomains.has(path)));
  const isInPrograms = changed.some((path) => IS_IN_PROGRAMS.test(path));
  const isOther = (path: string) => others.has(path) || (isInPrograms && STARTS_PROGRAMS.has(path));
  const domains = new Set([...ofDomains].flatMap((path) => domainsOn(inputs, path)));
  const rooms = changed.filter((path) => !sources.includes(path)).map(roomOf);
  return tests.filter(
    (test) =>
      rooms.some((room) => test.startsWith(room)) ||
      domains.has(domainOf(test)) ||
      (ofDomains.size > 0 && OF_WHOLE_SERVER.has(test)) ||
      reaches(importsOf(inputs), test, isOther) ||
      reaches(ownImportsOf(inputs), test, (path) => ofDomains.has(path)),
  );
}

function roomOf(path: string): string {
  return (
    /^packages\/[^/]+\//.exec(path)?.[0] ?? (path.startsWith("bench/") ? "bench/" : "scripts/")
  );
}

/** A folder of a layer of the server, such as `packages/server/src/people/contacts/`; empty elsewhere. */
function domainOf(path: string): string {
  const [folder = ""] = /^packages\/server\/(?:src\/[^/]+|test)\/[^/]+\//.exec(path) ?? [];
  return DOMAINS[folder] ?? folder;
}

/** The domain of a source, and those that import it, directly or by way of its domain. */
function domainsOn(inputs: Inputs, source: string): string[] {
  const domain = domainOf(source);
  const found = new Set([source]);
  const domains = new Set([domain]);
  for (const path of found) {
    for (const [importer, imports] of inputs) {
      if (!imports.includes(path) || !IS_DOMAIN_SOURCE.test(importer)) continue;
      domains.add(domainOf(importer));
      if (domainOf(importer) === domain) found.add(importer);
    }
  }
  return [...domains];
}

type ImportsOf = (path: string) => readonly string[];

function importsOf(inputs: Inputs): ImportsOf {
  return (path) => [
    ...(inputs.get(path) ?? []),
    ...(path === STARTS_COMMAND_LINE ? [COMMAND_LINE] : []),
  ];
}

/** Without the domain sources that helpers of tests import. */
function ownImportsOf(inputs: Inputs): ImportsOf {
  const all = importsOf(inputs);
  return (path) =>
    IS_HELPER.test(path) ? all(path).filter((imported) => !IS_IN_SERVER.test(imported)) : all(path);
}

function reaches(imports: ImportsOf, from: string, isWanted: (path: string) => boolean): boolean {
  const seen = new Set([from]);
  for (const path of seen) {
    if (isWanted(path)) return true;
    for (const imported of imports(path)) seen.add(imported);
  }
  return false;
}
