import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { builtFolder } from "../../core/platform/built-folder.ts";
import type { PlainRoute } from "../../http/server/router.ts";
import { type FileOptions, fileRoute, PAGE_HEADERS } from "./stored-file.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/** Files that the build makes of docs/ and of the OpenAPI document. */
// biome-ignore format: one file per line, read as a table
const FILES = [
  { path: "/llms.txt",                                          file: "llms.txt",                         type: TEXT },
  { path: "/llms-full.txt",                                     file: "llms-full.txt",                    type: TEXT },
  { path: "/docs/search.json",                                  file: "search.json",                      type: JSON_TYPE },
  { path: "/docs/collections/longwave.postman_collection.json", file: "longwave.postman_collection.json", type: JSON_TYPE },
  { path: "/docs/collections/longwave.bruno.json",              file: "longwave.bruno.json",              type: JSON_TYPE },
] as const;

/**
 * The guides and pages of docs/, as the build rendered them: `/docs/guides/webhooks`, the same with
 * `.md` as Markdown, `/docs/errors/not_found`. Two routes serve them all, so that metrics count pages
 * and not names.
 */
export function guideRoutes(folder: string = builtFolder("docs")): PlainRoute[] {
  const route = (path: string, file: string, type: string): PlainRoute => {
    const options: FileOptions = {
      path,
      type,
      headers: PAGE_HEADERS,
      read: () => readFile(join(folder, file)),
    };
    return fileRoute(options);
  };
  const pages = new Map<string, PlainRoute>(
    pageNames(folder).flatMap((name): [string, PlainRoute][] => [
      [`/docs/${name}`, route(`/docs/${name}`, `${name}.html`, HTML)],
      [`/docs/${name}.md`, route(`/docs/${name}.md`, `${name}.md`, MARKDOWN)],
    ]),
  );
  const answer = (request: IncomingMessage) => pages.get(pathOf(request))?.answer(request) ?? null;
  const files = pages.size === 0 ? [] : FILES;
  return [
    ...files.map(({ path, file, type }) => route(path, file, type)),
    { path: "/docs/{page}", answer },
    { path: "/docs/{folder}/{page}", answer },
  ];
}

/** Without a build there are none: the reference works, and the guides are not there. */
function pageNames(folder: string): string[] {
  try {
    return JSON.parse(readFileSync(join(folder, "pages.json"), "utf8")) as string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function pathOf(request: IncomingMessage): string {
  const [path = ""] = (request.url ?? "").split("?");
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}
