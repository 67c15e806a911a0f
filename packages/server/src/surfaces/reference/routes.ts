import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openApiDocument, withOtherCountries } from "@longwave/contract";
import { builtFolder } from "../../core/platform/built-folder.ts";
import type { PlainRoute } from "../../http/server/router.ts";
import { guideRoutes } from "./guides.ts";
import { fileRoute, PAGE_HEADERS } from "./stored-file.ts";

const FOLDER = new URL("./viewer/", import.meta.url);

/** The files of the reference page. No other file is served. */
// biome-ignore format: one file per line, read as a table
const FILES = [
  { path: "/docs",                      file: "index.html" },
  { path: "/docs/",                     file: "index.html" },
  { path: "/docs/app.js",               file: "app.js" },
  { path: "/docs/code-samples.js",      file: "code-samples.js" },
  { path: "/docs/controls.js",          file: "controls.js" },
  { path: "/docs/dom.js",               file: "dom.js" },
  { path: "/docs/errors.json",          file: "errors.generated.json" },
  { path: "/docs/guide.css",            file: "guide.css" },
  { path: "/docs/guide.js",             file: "guide.js" },
  { path: "/docs/highlight.js",         file: "highlight.js" },
  { path: "/docs/language-samples.js",  file: "language-samples.js" },
  { path: "/docs/markdown.js",          file: "markdown.js" },
  { path: "/docs/operation-view.js",    file: "operation-view.js" },
  { path: "/docs/operations.css",       file: "operations.css" },
  { path: "/docs/panel.js",             file: "panel.js" },
  { path: "/docs/parts.js",             file: "parts.js" },
  { path: "/docs/reference.css",        file: "reference.css" },
  { path: "/docs/request.js",           file: "request.js" },
  { path: "/docs/schema-view.js",       file: "schema-view.js" },
  { path: "/docs/schema-words.js",      file: "schema-words.js" },
  { path: "/docs/search.js",            file: "search.js" },
  { path: "/docs/settings.js",          file: "settings.js" },
  { path: "/docs/try-it.js",            file: "try-it.js" },
] as const;

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
};

/** The document is public, and tools on other origins read it. */
const DOCUMENT_HEADERS = { "access-control-allow-origin": "*", "cache-control": "no-cache" };

const HOME_COUNTRIES: readonly string[] = ["US", "CA"];

/** The OpenAPI document, the page that shows it, and the guides. None of them needs a key. */
export function referenceRoutes(countries: readonly string[] = HOME_COUNTRIES): PlainRoute[] {
  const isAbroad = countries.some((country) => !HOME_COUNTRIES.includes(country));
  const document = fileRoute({
    path: "/v1/openapi.json",
    type: "application/json; charset=utf-8",
    headers: DOCUMENT_HEADERS,
    read: async () => {
      const home = openApiDocument();
      return JSON.stringify(isAbroad ? withOtherCountries(home) : home);
    },
  });
  const files = FILES.map(({ path, file }) => {
    const type = TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    const read = () => readFile(new URL(file, FOLDER));
    return fileRoute({ path, type, headers: PAGE_HEADERS, read });
  });
  return [document, ...files, ...fontRoutes(), ...guideRoutes()];
}

/** The console's typeface, under a name without a hash. Without a built console there is none. */
function fontRoutes(): PlainRoute[] {
  const folder = join(builtFolder("console"), "console-assets");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /^inter-latin-wght-normal.*\.woff2$/.test(name))
    .map((name) =>
      fileRoute({
        path: "/docs/inter.woff2",
        type: "font/woff2",
        headers: PAGE_HEADERS,
        read: () => readFile(join(folder, name)),
      }),
    );
}
