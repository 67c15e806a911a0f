import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { refuseTypebox } from "../dev/refuse-typebox.ts";

const CONSOLE = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(CONSOLE, "dist");
const ASSETS = join(DIST, "console-assets");
const FIRST_SCRIPT_BYTES_MAX = 250_000;
const STYLE_BYTES_MAX = 30_000;
const PAGE_SCRIPT_BYTES_MAX = 40_000;

function gzBytes(name: string): number {
  return readFileSync(join(ASSETS, `${name}.gz`)).length;
}

/** Scripts that the page loads at once, with their static imports. */
function firstScripts(): Set<string> {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const found = new Set<string>();
  const waiting = [...html.matchAll(/\/console-assets\/([\w.-]+\.js)"/g)].map(
    (match) => match[1] ?? "",
  );
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = readFileSync(join(ASSETS, name), "utf8");
    for (const match of text.matchAll(
      /(?:^|[;}\s])(?:import|export)[^;()]*?from\s*"\.\/([\w.-]+\.js)"/g,
    )) {
      waiting.push(match[1] ?? "");
    }
    for (const match of text.matchAll(/(?:^|[;\s])import"\.\/([\w.-]+\.js)"/g))
      waiting.push(match[1] ?? "");
  }
  return found;
}

test("the first load and every page stay within their size budgets", () => {
  const first = firstScripts();
  const bytes = [...first].reduce((total, name) => total + gzBytes(name), 0);
  assert.ok(first.size > 2, "the first scripts were not found");
  assert.ok(bytes < FIRST_SCRIPT_BYTES_MAX, `the first load is ${bytes} bytes of script`);
  for (const name of readdirSync(ASSETS)) {
    if (name.endsWith(".css")) assert.ok(gzBytes(name) < STYLE_BYTES_MAX, `${name} is too large`);
    if (!name.endsWith(".js") || first.has(name)) continue;
    assert.ok(gzBytes(name) < PAGE_SCRIPT_BYTES_MAX, `${name} is too large`);
  }
});

test("index.html lists the scripts of an account's first page, and boot.js preloads them there", () => {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const [, files = ""] = /<meta name="longwave-home" content="([^"]+)"/.exec(html) ?? [];
  assert.match(files, /^\/console-assets\/home-page-/);
  for (const file of files.split(" ")) assert.ok(readFileSync(join(DIST, file)).length > 0);
  const boot = html.indexOf("/console-assets/boot.js");
  assert.ok(html.indexOf("longwave-home") < boot, "boot.js runs before it is there");
});

test("the page's policy forbids inline scripts and styles, and the page loads nothing from other origins", () => {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  for (const [tag] of html.matchAll(/<script[^>]*>/g)) assert.match(tag, /src="\/console-assets\//);
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/);
  assert.doesNotMatch(html, /(?:src|href)="(?!\/)/);
  for (const name of readdirSync(ASSETS).filter((each) => each.endsWith(".css"))) {
    const css = readFileSync(join(ASSETS, name), "utf8");
    for (const [, url] of css.matchAll(/url\(["']?([^"')]+)/g)) {
      assert.match(url ?? "", /^\/console-assets\//, `${name} fetches ${url}`);
    }
  }
});

test("a bundle with typebox in it is refused", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "longwave-console-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const entryOf = (name: string, specifier: string) => {
    const file = join(CONSOLE, `dist/${name}.entry.js`);
    writeFileSync(file, `import * as all from ${JSON.stringify(specifier)};\nconsole.log(all);\n`);
    t.after(() => rmSync(file, { force: true }));
    return file;
  };
  const bundle = (entry: string) =>
    build({
      root: CONSOLE,
      configFile: false,
      logLevel: "silent",
      resolve: { conditions: ["@longwave/source"] },
      plugins: [refuseTypebox()],
      build: { write: false, lib: { entry, formats: ["es"], fileName: "x" } },
    });
  await bundle(entryOf("tables", "@longwave/contract/tables"));
  await assert.rejects(bundle(entryOf("whole", "@longwave/contract")), /typebox is in/);
});
