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

/** The READMEs and the guides, in reading order. */
export function pagesOf(root: string): string[] {
  const list = readFileSync(join(root, "docs/guides/README.md"), "utf8");
  const linked = [...list.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => `docs/guides/${name}`);
  const all = readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`);
  const others = all.filter((page) => !linked.includes(page));
  return [...new Set([...READMES, ...others, ...linked])];
}

export function blocksOf(root: string, page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(BLOCKS)].map((match) => {
    const [, language, code, then] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return { page, line, language: language ?? "ts", code: code ?? then ?? "" };
  });
}
