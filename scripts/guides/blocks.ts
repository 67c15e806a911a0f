import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A code block of a page, or code that only the test runs after one (`<!-- then: … -->`). */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

const BLOCKS = /^```(\w*)\n([\s\S]*?)^```$|^<!-- then:\n([\s\S]*?)^-->$/gm;

/** READMEs published with the packages. */
const READMES = [
  "README.md",
  "packages/sdk/README.md",
  "packages/cli/README.md",
  "packages/smpp/README.md",
];

/** Chapters of docs/README.md whose code runs as it stands. */
const CHAPTERS = ["Learn", "Build", "Go live"];

/** The READMEs, and the pages of these chapters in reading order. */
export function pagesOf(root: string): string[] {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  const chapters = index
    .split(/^## /m)
    .filter((chapter) => CHAPTERS.includes(firstLineOf(chapter)));
  const linked = chapters.flatMap((chapter) =>
    [...chapter.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, name]) => `docs/${name}`),
  );
  const all = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
  const others = all.filter((page) => !linked.includes(page));
  return [...new Set([...READMES, ...others, ...linked, "docs/operations.md"])];
}

function firstLineOf(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

export function blocksOf(root: string, page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(BLOCKS)].map((match) => {
    const [, language, code, then] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return { page, line, language: language ?? "ts", code: code ?? then ?? "" };
  });
}
