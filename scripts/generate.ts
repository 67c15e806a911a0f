/**
 * Writes every generated file. From the contract: the OpenAPI document, the SDK's types and methods, and the
 * reference pages of docs/. From the migrations: the schema on one page.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../packages/contract/src/index.ts";
import { auditPage } from "./generate/audit-page.ts";
import { cliOperations } from "./generate/cli-operations.ts";
import { doublesPage } from "./generate/doubles-page.ts";
import { errorPages, unwrittenPages } from "./generate/errors-pages.ts";
import { eventsPage } from "./generate/events-page.ts";
import { FrozenFunction, functionsFiles } from "./generate/functions-migration.ts";
import { JSON_MARK, type Output } from "./generate/output.ts";
import { providersPages } from "./generate/providers-page.ts";
import { registrationCodePages } from "./generate/registration-code-pages.ts";
import { schemaFile } from "./generate/schema-file.ts";
import { scopesPage } from "./generate/scopes-page.ts";
import { sdkFiles } from "./generate/sdk-files.ts";
import { settingsTable } from "./generate/settings-table.ts";
import { statesPage } from "./generate/states-page.ts";
import { wrapMarkdown } from "./wrap-markdown.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folders of generated files only: files that the generator no longer writes are removed. */
const OWNED_FOLDERS = [
  "packages/sdk/src/contract",
  "packages/sdk/src/generated",
  "packages/cli/src/generated",
  "docs/errors",
  "docs/registration-codes",
];
const DIFF_LINES_MAX = 20;

/** The OpenAPI document, as it is served. */
function openApiFile(): Output[] {
  const document = { "x-generated": JSON_MARK, ...openApiDocument() };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  return [{ path: "packages/contract/openapi.json", text }];
}

async function outputs(): Promise<Output[]> {
  const made = [
    ...openApiFile(),
    ...(await functionsFiles()),
    ...sdkFiles(ROOT),
    ...cliOperations(),
    ...statesPage(),
    ...auditPage(),
    ...eventsPage(),
    ...scopesPage(),
    ...errorPages(ROOT),
    ...registrationCodePages(),
    ...providersPages(),
    doublesPage(),
    ...settingsTable(ROOT),
  ];
  return made.map(({ path, text }) => ({
    path,
    text: path.endsWith(".md") ? wrapMarkdown(text) : text,
  }));
}

function current(path: string): string | null {
  const full = join(ROOT, path);
  return existsSync(full) ? readFileSync(full, "utf8") : null;
}

/** Files in generated folders that nothing generates any more. */
function leftOver(made: readonly Output[]): string[] {
  const known = new Set(made.map((output) => output.path));
  return OWNED_FOLDERS.flatMap((folder) => {
    const full = join(ROOT, folder);
    return existsSync(full)
      ? readdirSync(full).map((name) => relative(ROOT, join(full, name)))
      : [];
  }).filter((path) => !known.has(path));
}

function write(made: readonly Output[]): number {
  for (const { path, text } of made) {
    if (current(path) === text) continue;
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`wrote ${path}`);
  }
  for (const path of leftOver(made)) {
    rmSync(join(ROOT, path));
    console.log(`removed ${path}`);
  }
  return 0;
}

/** Differences between the files and their generated texts; writes nothing. */
export async function generatedProblems(): Promise<string[]> {
  try {
    // Printing the schema needs a PostgreSQL, so a test compares it and not this quick check.
    return problemsOf(await outputs());
  } catch (error) {
    if (!(error instanceof FrozenFunction)) throw error;
    return [error.message];
  }
}

function problemsOf(made: readonly Output[]): string[] {
  const outdated = [
    ...made.flatMap(({ path, text }) => {
      const before = current(path);
      return before === text ? [] : [difference(path, before, text)];
    }),
    ...leftOver(made).map((path) => `${path}: nothing generates this file any more.`),
  ];
  const advice = "Generated files are out of date. If the change was meant, run: npm run generate";
  const unwritten = unwrittenPages(made).map(
    (path) => `${path}: write what happened and how to fix it, between the two marks.`,
  );
  return [...outdated, ...unwritten, ...(outdated.length > 0 ? [advice] : [])];
}

/** The lines from the first to the last difference, up to `DIFF_LINES_MAX`. */
function difference(path: string, before: string | null, after: string): string {
  if (before === null) return `${path}: is missing. Run npm run generate, which writes it.`;
  const old = before.split("\n");
  const fresh = after.split("\n");
  let start = 0;
  while (start < old.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(old.length, fresh.length) - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end += 1;
  }
  const shown = [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`),
  ];
  const rest = shown.length - DIFF_LINES_MAX;
  return [
    `${path}:${start + 1}`,
    ...shown.slice(0, DIFF_LINES_MAX),
    ...(rest > 0 ? [`  … and ${rest} lines more`] : []),
  ].join("\n");
}

async function writeAll(): Promise<number> {
  try {
    const made = await outputs();
    write(made);
    return write([...made, ...(await schemaFile())]);
  } catch (error) {
    if (!(error instanceof FrozenFunction)) throw error;
    console.error(error.message);
    return 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await writeAll();
