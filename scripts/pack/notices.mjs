// Licences of the packages whose code is inside a bundle.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Reads the bundled packages from the bundle's source map and returns their licences as text. */
export function notices(bundleFile) {
  const { sources } = JSON.parse(readFileSync(`${bundleFile}.map`, "utf8"));
  const folders = new Set(
    sources.map((source) => packageFolder(resolve(dirname(bundleFile), source))),
  );
  folders.delete(null);
  return [...folders]
    .map(notice)
    .sort((a, b) => (a < b ? -1 : 1))
    .join("\n\n");
}

function packageFolder(file) {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
  return match ? match[1] : null;
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = existsSync(folder)
    ? readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry))
    : undefined;
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
  return `${name} ${version}\n${"=".repeat(72)}\n${text}`;
}
