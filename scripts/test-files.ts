/** Which test files a run has: its tier, the parts of paths it names, and what changed since a commit. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { isForCitus } from "../packages/server/testing/citus-exclusions.ts";

/**
 * - `quick`: `npm test`, every change.
 * - `slow`: `npm run test:slow`, every merge: browsers, packages, deployment, promises in seconds.
 * - `long`: `npm run test:long`, every night: kills, soak, a year.
 * - `citus`: the server's quick tests on a coordinator and two workers.
 */
export type Tier = "quick" | "slow" | "long" | "citus";

function tierOf(path: string): Tier {
  const [, tier = "quick"] = /\.(slow|long|citus)\.test\.ts$/.exec(path) ?? [];
  return tier as Tier;
}

export function allTests(root: string): string[] {
  return ["packages", "scripts", "bench"]
    .flatMap((folder) => findTests(join(root, folder)))
    .map((path) => relative(root, path));
}

function findTests(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === "node_modules" || entry.name === "dist" ? [] : findTests(path);
    }
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

/** The files of a tier; with parts of paths, those that have one of them in their path. */
export function testsOf(all: readonly string[], tier: Tier, parts: readonly string[]): string[] {
  const isOfTier = (path: string) =>
    tierOf(path) === tier || (tier === "citus" && tierOf(path) === "quick" && isForCitus(path));
  const isWanted = (path: string) =>
    parts.length === 0 || parts.some((part) => path.includes(part));
  return all.filter((path) => isOfTier(path) && isWanted(path));
}
