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

/** Heading of the part of a page about `POST /v1/messages`. */
export const WITHOUT_A_HOOK = /^## Without a hook$/m;

/** JSON of the page's jsonnet, a function that lists fields of its context. */
export function jsonnet(page: string, context: Readonly<Record<string, unknown>>): string {
  const [, object = ""] = /^function\(ctx\) (.*)$/s.exec(oneBlock(page, "jsonnet")) ?? [];
  return object
    .replaceAll(/(\w+):/g, '"$1":')
    .replaceAll(/ctx\.(\w+)/g, (_, name: string) => JSON.stringify(context[name]));
}
