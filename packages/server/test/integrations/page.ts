import assert from "node:assert/strict";

/** The first code block of a page in a language. */
export function oneBlock(page: string, language: string): string {
  const [, block = ""] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page) ?? [];
  assert.notEqual(block, "", `the page has no ${language}`);
  return block;
}

export function properties(page: string): Record<string, string> {
  const lines = oneBlock(page, "properties").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
