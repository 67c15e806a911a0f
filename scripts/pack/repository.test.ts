import assert from "node:assert/strict";
import { test } from "node:test";

interface Origin {
  readonly repository: string | null;
  readonly folder: string;
}
/** npm run pack works without a TypeScript loader, so its modules are JavaScript. */
const load = (name: string) => import(new URL(name, import.meta.url).href);
const { publicAddress } = (await load("./repository.mjs")) as {
  publicAddress(remote: string): string | null;
};
const { publishedManifest } = (await load("./manifest.mjs")) as {
  publishedManifest(manifest: object, origin: Origin): Record<string, unknown>;
};

test("the public address of a remote has neither credentials nor .git", () => {
  const address = "https://github.com/someone/longwave";
  for (const remote of [
    address,
    `${address}.git\n`,
    `${address}/`,
    "https://me:ghp_secret@github.com/someone/longwave.git",
    "git@github.com:someone/longwave.git",
    "ssh://git@github.com/someone/longwave.git",
  ]) {
    assert.equal(publicAddress(remote), address, remote);
  }
  for (const remote of ["", "/home/me/longwave", "../longwave", "file:///srv/longwave.git"]) {
    assert.equal(publicAddress(remote), null, remote);
  }
});

const MANIFEST = {
  name: "@longwave/sdk",
  version: "0.1.0",
  private: true,
  exports: { ".": { "@longwave/source": "./src/index.ts", default: "./dist/index.js" } },
  devDependencies: { tsx: "1.0.0" },
};

test("a published manifest names its repository and folder, and asks for provenance", () => {
  const repository = "https://github.com/someone/longwave";
  const published = publishedManifest(MANIFEST, { repository, folder: "packages/sdk" });
  assert.deepEqual(published["repository"], {
    type: "git",
    url: "git+https://github.com/someone/longwave.git",
    directory: "packages/sdk",
  });
  assert.equal(published["homepage"], `${repository}#readme`);
  assert.deepEqual(published["bugs"], { url: `${repository}/issues` });
  assert.deepEqual(published["publishConfig"], { access: "public", provenance: true });
});

test("without a public repository a manifest claims no provenance", () => {
  const published = publishedManifest(MANIFEST, { repository: null, folder: "packages/sdk" });
  assert.deepEqual(published, {
    name: "@longwave/sdk",
    version: "0.1.0",
    exports: { ".": { default: "./dist/index.js" } },
    publishConfig: { access: "public" },
    files: ["dist"],
  });
});
