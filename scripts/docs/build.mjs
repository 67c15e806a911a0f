// Renders docs/ for the server's /docs: each file as a page and as Markdown, the list of pages, the search index,
// llms.txt, and the collections for Postman and Bruno.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../install.mjs";
import { brunoCollection, callsOf, postmanCollection } from "./collections.mjs";
import { llmsFullText, llmsText } from "./llms.mjs";
import { readPages } from "./pages.mjs";
import { searchIndex } from "./search-index.mjs";
import { pageShell } from "./shell.mjs";

export function buildDocs(folder) {
  const openapi = JSON.parse(readFileSync(join(root, "packages/contract/openapi.json"), "utf8"));
  const pages = readPages(join(root, "docs"));
  const calls = callsOf(openapi);
  const files = {
    "pages.json": JSON.stringify(pages.map(({ name }) => name)),
    "search.json": JSON.stringify(searchIndex(pages, openapi)),
    "llms.txt": llmsText(pages, openapi),
    "llms-full.txt": llmsFullText(pages),
    "longwave.postman_collection.json": JSON.stringify(postmanCollection(calls), null, 2),
    "longwave.bruno.json": JSON.stringify(brunoCollection(calls), null, 2),
  };
  for (const page of pages) {
    files[`${page.name}.html`] = pageShell(page, pages);
    files[`${page.name}.md`] = page.markdown;
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
