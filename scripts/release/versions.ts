/** The version of the workspaces, in every file that names it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Json = Record<string, unknown>;
const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies"];
/** Markdown that names tarballs, such as longwave-sdk-0.1.0.tgz. Names of other versions are examples and stay. */
const DOCUMENTS = ["README.md", "docs", "packages/sdk/README.md", "packages/cli/README.md"];

export function currentVersion(root: string): string {
  return String((JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Json)["version"]);
}

/** Folders of the workspaces, the root among them as an empty string. */
function workspaces(root: string): string[] {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  return ["", "examples", ...packages];
}

/** Writes the version into manifests, lock file, chart, and names of tarballs. */
export function setVersion(root: string, version: string): void {
  const folders = workspaces(root);
  const before = currentVersion(root).replaceAll(".", "\\.");
  const tarball = new RegExp(`(\\blongwave(?:-[a-z]+)?-)${before}(\\.tgz)`, "g");
  const readManifest = (folder: string) =>
    JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Json;
  const names = new Set(folders.map((folder) => String(readManifest(folder)["name"])));
  for (const folder of folders) {
    editJson(join(root, folder, "package.json"), (manifest) => renew(manifest, names, version));
  }
  editJson(join(root, "package-lock.json"), (lock) => {
    lock["version"] = version;
    const packages = lock["packages"] as Record<string, Json>;
    for (const folder of folders) renew(packages[folder] ?? {}, names, version);
  });
  const chart = join(root, "deploy/helm/longwave");
  edit(join(chart, "Chart.yaml"), (text) =>
    text
      .replace(/^version: .*$/m, `version: ${version}`)
      .replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  );
  edit(join(chart, "values.yaml"), (text) => text.replace(/^ {2}tag: .*$/m, `  tag: "${version}"`));
  for (const path of DOCUMENTS.flatMap((name) => markdownAt(join(root, name)))) {
    edit(path, (text) => text.replaceAll(tarball, `$1${version}$2`));
  }
}

/** Sets a manifest's version, and those of the workspaces it depends on. */
function renew(manifest: Json, names: ReadonlySet<string>, version: string): void {
  manifest["version"] = version;
  for (const kind of DEPENDENCIES) {
    const wanted = manifest[kind] as Record<string, string> | undefined;
    for (const name of Object.keys(wanted ?? {})) {
      if (wanted && names.has(name)) wanted[name] = version;
    }
  }
}

function editJson(path: string, change: (value: Json) => void): void {
  edit(path, (text) => {
    const value = JSON.parse(text) as Json;
    change(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  });
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = change(before);
  if (after !== before) writeFileSync(path, after);
}

function markdownAt(path: string): string[] {
  if (path.endsWith(".md")) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name));
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9a-z][0-9a-z.-]*))?$/;

/** Why the version cannot follow the current one, as a sentence; null when it can. */
export function refuseVersion(
  version: string,
  current: string,
  isReleased: (version: string) => boolean,
): string | null {
  if (!VERSION.test(version)) {
    return `"${version}" is not a version: use three numbers such as 0.2.0, or 0.2.0-rc.1.`;
  }
  if (isReleased(version)) return `${version} is released: its tag v${version} exists.`;
  if (compare(version, current) < 0) {
    return `${version} is older than ${current}, the version of the packages.`;
  }
  return null;
}

export function isPrerelease(version: string): boolean {
  return version.includes("-");
}

/** Order of versions: three numbers, and a prerelease before its release. */
function compare(left: string, right: string): number {
  const [, ...a] = VERSION.exec(left) ?? [];
  const [, ...b] = VERSION.exec(right) ?? [];
  for (const index of [0, 1, 2]) {
    const difference = Number(a[index]) - Number(b[index]);
    if (difference !== 0) return difference;
  }
  if (a[3] === b[3]) return 0;
  if (a[3] === undefined || b[3] === undefined) return a[3] === undefined ? 1 : -1;
  return a[3].localeCompare(b[3], "en", { numeric: true });
}
