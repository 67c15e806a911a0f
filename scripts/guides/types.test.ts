/**
 * Compiles the TypeScript of the READMEs and the guides, and the SDK's type tests, under strict settings.
 * `code.slow.test.ts` runs the same blocks with their types stripped.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { blocksOf, pagesOf } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TYPE_TESTS = join(ROOT, "packages/sdk/test/types/answers.ts");

const SETTINGS = {
  target: "es2023",
  lib: ["es2023"],
  types: ["node"],
  module: "nodenext",
  moduleDetection: "force",
  customConditions: ["@longwave/source"],
  allowImportingTsExtensions: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

/** One file per page with TypeScript; its blocks form one program. */
function writePages(folder: string): string[] {
  return pagesOf(ROOT).flatMap((page) => {
    const blocks = blocksOf(ROOT, page).filter(({ language }) => language === "ts");
    if (blocks.length === 0) return [];
    const name = `${page.replaceAll(/\W/g, "-")}.ts`;
    writeFileSync(join(folder, name), blocks.map(({ code }) => code).join("\n"));
    return [name];
  });
}

test("the TypeScript of the READMEs, the guides and the SDK's type tests compiles", () => {
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  // Below the root, so that the packages resolve.
  const folder = mkdtempSync(join(ROOT, "dist/types-"));
  try {
    const pages = writePages(folder);
    assert.ok(pages.includes("packages-sdk-README-md.ts"));
    const config = { compilerOptions: SETTINGS, files: [...pages, TYPE_TESTS] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(stdout, "");
    assert.equal(status, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
