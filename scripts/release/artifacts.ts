/** Files of a release: tarballs, notes, and one JSON that workflows read. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isPrerelease } from "./versions.ts";

export interface ReleaseFacts {
  readonly version: string;
  readonly tag: string;
  readonly repository: string | null;
  readonly prerelease: boolean;
  readonly tarballs: readonly {
    readonly name: string;
    readonly file: string;
    readonly sha256: string;
  }[];
  readonly image_tags: readonly string[];
  /** Migrations that this release adds and freezes. */
  readonly migrations: readonly string[];
}

/** Packs the tree's packages and describes them in the folder, which is emptied first. */
export function writeArtifacts(options: {
  /** Tree of the release. */
  readonly tree: string;
  readonly folder: string;
  readonly version: string;
  readonly repository: string | null;
  readonly notes: string;
  readonly migrations: readonly string[];
}): ReleaseFacts {
  const { tree, folder, version, repository, notes, migrations } = options;
  const address = repository === null ? [] : ["--repository", repository];
  runStep(tree, process.execPath, ["scripts/pack.mjs", ...address]);
  const packed = JSON.parse(readFileSync(join(tree, "dist/packages/tarballs.json"), "utf8"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tarballs = Object.entries(packed as Record<string, string>).map(([name, path]) => {
    const file = basename(path);
    copyFileSync(path, join(folder, file));
    const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
    return { name, file, sha256 };
  });
  const facts: ReleaseFacts = {
    version,
    tag: `v${version}`,
    repository,
    prerelease: isPrerelease(version),
    tarballs,
    image_tags: imageTags(version, repository),
    migrations,
  };
  writeFileSync(join(folder, "release.json"), `${JSON.stringify(facts, null, 2)}\n`);
  writeFileSync(join(folder, "notes.md"), releaseNotes(facts, notes));
  const sums = tarballs.map(({ file, sha256 }) => `${sha256}  ${file}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return facts;
}

/** Tags of the image. A prerelease moves neither the minor version's tag nor `latest`. */
function imageTags(version: string, repository: string | null): string[] {
  const path = repository === null ? null : new URL(repository).pathname.toLowerCase();
  const image = path === null ? "longwave" : `ghcr.io${path}`;
  const [major, minor] = version.split(".");
  const names = isPrerelease(version) ? [version] : [version, `${major}.${minor}`, "latest"];
  return names.map((name) => `${image}:${name}`);
}

function releaseNotes(facts: ReleaseFacts, changes: string): string {
  const { tarballs, image_tags: images, migrations, version } = facts;
  const row = ({ name, file, sha256 }: ReleaseFacts["tarballs"][number]) =>
    `| \`${name}\` | \`${file}\` | \`${sha256}\` |`;
  const upgrade =
    migrations.length === 0
      ? "This release adds no migration."
      : `The first server of this release applies ${migrations.length} migrations (${migrations[0]} to ${migrations.at(-1)}) while servers of the previous release go on serving.`;
  return `${[
    `# Longwave ${version}`,
    changes,
    "## Install",
    `- Image: \`${images[0]}\``,
    "- Packages, each with its SHA-256:",
    ["| Package | File | SHA-256 |", "| --- | --- | --- |", ...tarballs.map(row)].join("\n"),
    "## Upgrade",
    upgrade,
  ].join("\n\n")}\n`;
}

/** Runs a step to its end and shows its output on standard error. */
export function runStep(cwd: string, command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}
