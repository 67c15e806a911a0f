// npm run pack [-- --repository URL]: builds the published packages and packs them into dist/packages, the Python client
// among them where Python has its build tools. The packages are
// staged first, because their manifests name sources and bundled dependencies that only this repository has.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSdk } from "./build-sdk.mjs";
import { buildSmpp } from "./build-smpp.mjs";
import { outdated } from "./build-state.mjs";
import { ensureInstalled, root } from "./install.mjs";
import { publishedManifest } from "./pack/manifest.mjs";
import { notices } from "./pack/notices.mjs";
import { MISSING, packPython } from "./pack/python.mjs";
import { originAddress, publicAddress } from "./pack/repository.mjs";
import { runStep } from "./steps.mjs";

const out = join(root, "dist/packages");

/** Pages that the server shows: built elsewhere, packed beside its bundle. */
const SERVER_PAGES = {
  console: join(root, "packages/console/dist"),
  docs: join(root, "dist/docs"),
};

/**
 * Each with the folder of its workspace. `bundle` names the file that contains foreign code; `inside` are
 * packages above that travel in the tarball, so that it installs by itself.
 */
const PUBLISHED = [
  { folder: "sdk", name: "@longwave/sdk", bundle: null },
  { folder: "smpp", name: "@longwave/smpp", bundle: null },
  { folder: "server", name: "@longwave/server", bundle: "dist/main.js", beside: SERVER_PAGES },
  { folder: "cli", name: "longwave", bundle: "dist/main.js", inside: ["@longwave/server"] },
];

/** Builds, stages and packs. Returns the tarballs by package name, which dist/packages/tarballs.json keeps. */
export async function pack(repository = originAddress(root)) {
  await ensureInstalled();
  await buildSdk();
  await buildSmpp();
  if (outdated().length > 0) {
    await runStep("Building", process.execPath, [join(root, "scripts/build.mjs")]);
  }
  rmSync(out, { recursive: true, force: true });
  const tarballs = {};
  for (const published of PUBLISHED) tarballs[published.name] = packOne(published, repository);
  writeFileSync(join(out, "tarballs.json"), JSON.stringify(tarballs, null, 2));
  return tarballs;
}

function packOne({ folder, bundle, beside = {}, inside = [] }, repository) {
  const source = join(root, "packages", folder);
  const stage = join(out, folder);
  mkdirSync(stage, { recursive: true });
  cpSync(join(source, "dist"), join(stage, "dist"), { recursive: true });
  for (const [name, from] of Object.entries(beside)) {
    cpSync(from, join(stage, "dist", name), { recursive: true });
  }
  cpSync(join(source, "README.md"), join(stage, "README.md"));
  cpSync(join(root, "LICENSE"), join(stage, "LICENSE"));
  if (bundle) writeFileSync(join(stage, "THIRD-PARTY-NOTICES.txt"), notices(join(source, bundle)));
  for (const name of inside) {
    const other = PUBLISHED.find((one) => one.name === name);
    cpSync(join(out, other.folder), join(stage, "node_modules", name), { recursive: true });
  }
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const published = {
    ...publishedManifest(manifest, { repository, folder: `packages/${folder}` }),
    bundleDependencies: inside,
  };
  if (inside.length === 0) delete published.bundleDependencies;
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  const result = spawnSync("npm", ["pack", "--json", "--pack-destination", out], {
    cwd: stage,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (result.status !== 0) throw new Error(`npm pack failed for ${folder}.`);
  const [{ filename }] = JSON.parse(result.stdout);
  return join(out, filename);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [option, url = ""] = process.argv.slice(2);
  const repository = option === "--repository" ? publicAddress(url) : originAddress(root);
  if ((option !== undefined && option !== "--repository") || (option && repository === null)) {
    console.error("Usage: npm run pack [-- --repository https://host/owner/name]");
    process.exit(2);
  }
  const tarballs = await pack(repository);
  const python = packPython(out);
  if (python.length === 0) console.error(MISSING);
  console.log(JSON.stringify(python.length === 0 ? tarballs : { ...tarballs, python }, null, 2));
}
