import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Programs that tests start as processes; `npm test` bundles them along with the tests. Tests of the command line start
 * the built one; its sources are among the inputs for `--since`.
 */
export const TEST_PROGRAMS = [
  "packages/server/testing/embedded-child.ts",
  "packages/server/testing/worker-child.ts",
  "packages/server/testing/server-child.ts",
  "packages/server/testing/attacks/attack-child.ts",
  "packages/cli/src/main.ts",
] as const;

/** Names the folder of the bundle that `npm test` made. */
export const BUNDLE_VARIABLE = "LONGWAVE_TEST_BUNDLE";

/** Path of the published document in the bundle; null without a bundle. */
export function bundledDocument(): string | null {
  const bundle = process.env[BUNDLE_VARIABLE];
  return bundle ? join(bundle, "openapi.json") : null;
}

/** Arguments with which `node` runs a source file: with tsx, or faster, its bundled form. */
export function nodeArguments(source: string, options: readonly string[] = []): string[] {
  const bundle = process.env[BUNDLE_VARIABLE];
  if (!bundle) return ["--import", "tsx", "--conditions=@longwave/source", ...options, source];
  const bundled = join(bundle, relative(ROOT, source).replace(/\.ts$/, ".js"));
  return [...options, bundled];
}
