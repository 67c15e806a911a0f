/**
 * npm run release -- VERSION: sets the version, dates the changelog, freezes the migrations, packs, commits and tags.
 * Everything happens in a copy first, so that a failed release changes nothing; with --dry-run it stays there.
 * --artifacts only packs what a release has committed, for the workflow that publishes.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ReleaseFacts, runStep, writeArtifacts } from "./release/artifacts.ts";
import { releaseChangelog, sectionOf } from "./release/changelog.ts";
import { copyTree, keepInstalled } from "./release/copy-tree.ts";
import { currentVersion, refuseVersion, setVersion } from "./release/versions.ts";

interface Repository {
  originAddress(root: string): string | null;
  publicAddress(remote: string): string | null;
}
/** A module of npm run pack, which runs without a TypeScript loader. */
const address = new URL("./pack/repository.mjs", import.meta.url).href;
const { originAddress, publicAddress } = (await import(address)) as Repository;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FROZEN = "packages/server/testing/first-version/frozen.json";
const USAGE =
  "Usage: npm run release -- VERSION [--dry-run | --artifacts] [--repository https://host/owner/name]";

interface Order {
  readonly version: string;
  readonly kind: "release" | "dry-run" | "artifacts";
  readonly repository: string | null;
}

/** A release that cannot be made, as a sentence. */
class Refusal extends Error {}

function git(...args: string[]): string {
  return execFileSync("git", args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

function readOrder(args: readonly string[]): Order {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "dry-run": { type: "boolean" },
        artifacts: { type: "boolean" },
        repository: { type: "string" },
      },
    });
    const { "dry-run": dryRun, artifacts, repository: given } = values;
    const [version, ...more] = positionals;
    const repository = given === undefined ? originAddress(ROOT) : publicAddress(given);
    const isWrong = more.length > 0 || (dryRun && artifacts) || (given && repository === null);
    if (version === undefined || isWrong) throw new Error("unusable arguments");
    return { version, kind: dryRun ? "dry-run" : artifacts ? "artifacts" : "release", repository };
  } catch (error) {
    throw new Refusal(USAGE, { cause: error });
  }
}

function refuseUnready({ version, kind, repository }: Order): void {
  const isTagged = (name: string) => git("tag", "--list", `v${name}`) !== "";
  const wrong = refuseVersion(version, currentVersion(ROOT), isTagged);
  if (wrong !== null) throw new Refusal(wrong);
  if (kind === "dry-run") return;
  if (git("status", "--porcelain") !== "") {
    throw new Refusal("The working tree has changes: commit or remove them first.");
  }
  if (repository === null) {
    throw new Refusal(
      "npm needs the repository's public address for provenance: add the remote origin, or pass --repository.",
    );
  }
}

const folderOf = (version: string) => join(ROOT, "dist/release", version);

/** Migrations by checksum, as a commit froze them. */
function frozenAt(commit: string): Record<string, string> {
  try {
    return JSON.parse(git("show", `${commit}:${FROZEN}`)) as Record<string, string>;
  } catch {
    return {};
  }
}

function newMigrations(tree: string, before: string): string[] {
  const frozen = JSON.parse(readFileSync(join(tree, FROZEN), "utf8")) as Record<string, string>;
  const older = frozenAt(before);
  return Object.keys(frozen).filter((name) => !(name in older));
}

function release(order: Order): ReleaseFacts {
  const { version, kind, repository } = order;
  refuseUnready(order);
  const tree = copyTree(ROOT);
  try {
    const date = new Date().toISOString().slice(0, 10);
    const path = join(tree.folder, "CHANGELOG.md");
    const { changelog, notes } = releaseChangelog(readFileSync(path, "utf8"), version, date);
    writeFileSync(path, changelog);
    setVersion(tree.folder, version);
    keepInstalled(tree.folder);
    const script = ["--import", "tsx", "--conditions=@longwave/source", "scripts/freeze.ts"];
    runStep(tree.folder, process.execPath, script);
    const migrations = newMigrations(tree.folder, "HEAD");
    const folder = folderOf(version);
    const facts = writeArtifacts({
      tree: tree.folder,
      folder,
      version,
      repository,
      notes,
      migrations,
    });
    if (kind === "release") {
      git("add", "--", ...tree.bringBack());
      keepInstalled(ROOT);
      git("commit", "--quiet", "--message", `chore(release): ${version}`);
      git("tag", "--annotate", facts.tag, "--message", `Longwave ${version}`);
    }
    return facts;
  } finally {
    tree.remove();
  }
}

/** Packs the tree as it is: a release's commit. */
function artifacts({ version, repository }: Order): ReleaseFacts {
  const current = currentVersion(ROOT);
  if (version !== current) throw new Refusal(`The packages are ${current}, not ${version}.`);
  const notes = sectionOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version);
  if (notes === null) throw new Refusal(`CHANGELOG.md has no section for ${version}.`);
  const migrations = newMigrations(ROOT, "HEAD^");
  return writeArtifacts({
    tree: ROOT,
    folder: folderOf(version),
    version,
    repository,
    notes,
    migrations,
  });
}

function main(): void {
  const order = readOrder(process.argv.slice(2));
  const { version, kind, repository } = order;
  const facts = kind === "artifacts" ? artifacts(order) : release(order);
  console.log(
    `Packed ${facts.tarballs.length} packages into ${relative(ROOT, folderOf(version))}.`,
  );
  if (repository === null) console.log("No public address: the packages name no repository.");
  if (kind === "dry-run") console.log("Dry run: no file, commit or tag of the repository changed.");
  if (kind === "release") {
    console.log(`Committed and tagged ${facts.tag}. Publish it: git push origin HEAD ${facts.tag}`);
  }
}

try {
  main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
