import { readFile, stat } from "node:fs/promises";
import { join, normalize, relative, sep } from "node:path";
import type { PageProblemKind } from "../site.ts";
import { type PageParser, parserOfThisThread } from "./page-parser.ts";
import { PAGE_BYTES_MAX, type PageRead, type PageSource } from "./source.ts";

/** Origin of a folder that stands for a website; the name can never exist. */
export const FOLDER_ORIGIN = "https://folder.invalid";

/** Pages of a folder, for checks without a network. Never opens files outside the folder. */
export function createFolderSource(
  folder: string,
  parser: PageParser = parserOfThisThread,
): PageSource {
  return { read: (url) => readFromFolder(folder, url, parser) };
}

/** The file behind a folder URL, for display; other URLs are unchanged. */
export function shownAddress(url: string): string {
  if (!url.startsWith(`${FOLDER_ORIGIN}/`)) return url;
  const path = decodeURIComponent(new URL(url).pathname).slice(1);
  return path === "" ? "index.html" : path;
}

async function readFromFolder(folder: string, url: string, parser: PageParser): Promise<PageRead> {
  if (!url.startsWith(`${FOLDER_ORIGIN}/`)) {
    return failed(
      url,
      "unreachable",
      "The address is outside of the folder, which is checked without a network.",
    );
  }
  const file = await fileOf(folder, new URL(url).pathname);
  if (file === null)
    return { ...failed(url, "status", "There is no such file in the folder."), status: 404 };
  const bytes = await readFile(file);
  const cut = bytes.length > PAGE_BYTES_MAX;
  const finalUrl = `${FOLDER_ORIGIN}/${relative(folder, file).split(sep).map(encodeURIComponent).join("/")}`;
  const page = await parser.parse({
    bytes: cut ? bytes.subarray(0, PAGE_BYTES_MAX) : bytes,
    contentType: null,
    url: finalUrl,
  });
  if (page.kind === "unreadable") return failed(url, "unreadable", page.detail);
  return { url, finalUrl, status: 200, problem: null, cut, facts: page.facts };
}

/**
 * Resolves a path like a web server: the file itself, with .html, or a folder's index. Never
 * outside the root.
 */
async function fileOf(folder: string, pathname: string): Promise<string | null> {
  const path = normalize(decodePath(pathname));
  if (path.includes("..") || path.includes("\0")) return null;
  for (const candidate of [path, `${path}.html`, join(path, "index.html")]) {
    const file = join(folder, candidate);
    if (await isFile(file)) return file;
  }
  return null;
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function failed(url: string, kind: PageProblemKind, detail: string): PageRead {
  return { url, finalUrl: url, status: null, problem: { kind, detail }, cut: false, facts: null };
}
