import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { languageProblems, languageProblemsBelow } from "./language.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("the repository keeps the house language", () => {
  const lines = languageProblemsBelow(ROOT, []).map(
    ({ path, line, problem }) => `${path}:${line}: ${problem}`,
  );
  assert.deepEqual(lines, []);
});

const REFUSED: Readonly<Record<string, string>> = {
  "a doc comment": "/** What applies receipts. */\nconst a = 1;",
  "a wrapped doc comment": "/**\n * Of the messages, the first.\n */",
  "a line comment": "  // Those woken together count once.",
  "a trailing comment": "const a = 1; // Those that wait",
  "a replaced word over two lines": "// The item is set\n// aside for later.",
  "a later sentence": "/** Reads numbers. Those that wait come first. */",
  "a comment between elements": "  {/* That is the list. */}",
  "a help text": '.option("--to <phone>", "whose phone")',
  "a help text with a template": ".description(\n  `What a hook does.`,\n)",
  "a description of the contract":
    'description:\n      "Numbers of the account. One that ended is left out.",',
  "a description with a replaced word": 'summary: "Says what it heard of",',
  "a setting":
    '  dataFolder: setting("LONGWAVE_DATA", text("a folder", /^[^\\0]+$/), "./x", "Where data lies."),',
  "a replaced word of two parts": "// The next run goes on from there.",
  "a test title": 'test("what waits is sent", () => {});',
  "a log message without a component": 'log.warn({ err: error }, "bind lost");',
};

for (const [name, code] of Object.entries(REFUSED)) {
  test(`${name} that breaks the language is found`, () => {
    assert.equal(languageProblems("a.ts", code).length, 1, code);
  });
}

test("plain prose, quoted names and code are left alone", () => {
  const code = [
    "/** Applies final receipts, in arrival order. */",
    '// `heed` was the name before; the error says "is told".',
    'const url = "https://what.example"; // Example host',
    'log.info({ bind }, "smpp: bind lost");',
    'test("a receipt applies once", () => {});',
  ].join("\n");
  assert.deepEqual(languageProblems("a.ts", code), []);
});

test("later sentences of Markdown paragraphs and comments of other languages count", () => {
  const linesOf = (path: string, text: string) =>
    languageProblems(path, text).map(({ line }) => line);
  assert.deepEqual(linesOf("a.md", "One rule holds.\nThose\nthat wait do not count.\n"), [1]);
  assert.deepEqual(
    linesOf("a.md", "- First.\n- Second. Where\n  it ends.\n\n| What | Who |\n"),
    [2],
  );
  assert.deepEqual(linesOf("a.yml", "name: x # y\n# What runs\non: push\n"), [2]);
  assert.deepEqual(linesOf("a.py", '"""Who calls."""\n'), [1]);
  assert.deepEqual(linesOf("a.css", "/* Of the page */\n"), [1]);
});

test("Markdown headings name the thing first, and code blocks do not count", () => {
  const page = "# What it does\n\n```sh\n# What this prints\n```\n\nPlain prose.\n";
  const found = languageProblems("page.md", page);
  assert.deepEqual(
    found.map(({ line, problem }) => ({ line, problem })),
    [{ line: 1, problem: 'heading opens with "What": name the thing first' }],
  );
});
