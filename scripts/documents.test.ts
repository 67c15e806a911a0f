import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PRESETS } from "../packages/server/src/network/carriers/presets/index.ts";
import { wrapMarkdown } from "./wrap-markdown.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GUIDES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
const PAGES = [
  ...GUIDES,
  "CHANGELOG.md",
  ...["docs", "docs/carriers", "docs/decisions", "docs/guides", "docs/integrations"].flatMap(
    pagesIn,
  ),
];
/** Folders that a path in a guide may be relative to. */
const BASES = ["", "packages/server/src"];
const ENDINGS = /\.(?:ts|mjs|js|md|sql|json|grit)$/;

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".md"));
  return names.map((name) => `${folder}/${name}`);
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

/** The page without code blocks, which show calls and not files of this repository. */
function proseOf(page: string): string {
  return read(page).replaceAll(/^```[\s\S]*?^```$/gm, "");
}

/** Backticked strings that look like a file or folder of the repository. */
function pathsIn(page: string): string[] {
  const quoted = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] as string);
  const top = new Set(readdirSync(ROOT));
  return quoted.filter((text) => {
    if (/[\s<>*{}]/.test(text) || text.startsWith("/") || text.startsWith(".longwave"))
      return false;
    const [first = ""] = text.split("/");
    return top.has(first) || ENDINGS.test(text) || /^[a-z-]+\/$/.test(text);
  });
}

/** File names that every domain has, that the build creates, or that a reader does. */
const NOT_ONE_FILE = new Set([
  "hello.ts",
  "index.ts",
  "handlers.ts",
  "sql.ts",
  "deps.ts",
  "lane.ts",
  "main.js",
  "first-run.json",
]);

for (const page of GUIDES) {
  test(`every path that ${page} names exists`, () => {
    const paths = pathsIn(page);
    assert.ok(paths.length > 5, "the page names paths");
    const missing = paths.filter(
      (path) =>
        !NOT_ONE_FILE.has(path) && !BASES.some((base) => existsSync(join(ROOT, base, path))),
    );
    assert.deepEqual(missing, []);
  });
}

test("the table of fairness in ARCHITECTURE.md names every file that limits concurrency or rates", () => {
  const [, section = ""] = read("ARCHITECTURE.md").split("## Fairness");
  const folder = join(ROOT, "packages/server/src");
  const limiting = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) =>
      /new KeyedLimiter\(|new Problem\(\s*"rate_limited"/.test(read(`packages/server/src/${name}`)),
    );
  assert.ok(limiting.length > 15, "sources are read");
  assert.deepEqual(
    limiting.filter((name) => !section.includes(`\`${name}\``)),
    [],
  );
});

test("every link between pages has a target", () => {
  const broken = PAGES.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1] as string)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

/** Pages, and pages that the program shows; package READMEs are published with the packages. */
const TELLING = [
  ...PAGES,
  "examples/README.md",
  "deploy/README.md",
  ...["sdk", "cli", "server", "smpp"].map((name) => `packages/${name}/README.md`),
  ...["examples", "packages/console/src", "packages/cli/src", "packages/server/src"].flatMap(
    (folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:tsx?|js)$/.test(name) && !/\.test\./.test(name))
        .map((name) => `${folder}/${name}`),
  ),
];

test("nothing tells to run or install a name of ours from a registry: anybody may own it", () => {
  const telling =
    /npx (?:longwave|@longwave\/)|npm (?:i|install|add) (?:-\S+ )*(?:longwave|@longwave\/)/;
  assert.deepEqual(
    TELLING.filter((page) => telling.test(read(page))),
    [],
  );
});

test("pages are wrapped at 120 columns, except tables and code", () => {
  const readmes = ["sdk", "cli", "server", "smpp"].map((name) => `packages/${name}/README.md`);
  const pages = [...PAGES, "SECURITY.md", "deploy/README.md", "examples/README.md", ...readmes];
  const wide = [...pages, ...["docs/errors", "docs/registration-codes"].flatMap(pagesIn)].filter(
    (page) => wrapMarkdown(read(page)) !== read(page),
  );
  assert.deepEqual(wide, []);
});

test("every npm script that a page names exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\bnpm run ([a-z:]+)/g)].map((match) => match[1] as string),
  );
  assert.deepEqual(
    named.filter((name) => !(name in scripts)),
    [],
  );
});

const DECISIONS = readdirSync(join(ROOT, "docs/decisions")).filter((name) => /^\d{4}-/.test(name));

test("every decision is in the list of decisions", () => {
  const index = read("docs/decisions/README.md");
  assert.deepEqual(
    DECISIONS.filter((name) => !index.includes(`(${name})`)),
    [],
  );
});

test("decisions are numbered without gaps and follow the template", () => {
  for (const [index, name] of DECISIONS.sort().entries()) {
    const number = index + 1;
    assert.ok(name.startsWith(`${String(number).padStart(4, "0")}-`), name);
    const page = read(`docs/decisions/${name}`);
    const head = new RegExp(
      `^# ${number}\\. .+\\n\\n- Status: (?:accepted|superseded by ).*\\n- Date: \\d{4}-\\d\\d-\\d\\d.*\\n- Supersedes: .+\\n`,
    );
    assert.match(page, head, name);
    const headings = [...page.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    assert.deepEqual(headings, ["Context", "Decision", "Consequences", "Alternatives"], name);
  }
});

test("every documented metric exists, and every metric is documented", () => {
  const told = new Set(
    [...read("docs/operations.md").matchAll(/`(longwave_\w+)`/g)].map((match) => match[1]),
  );
  const folder = join(ROOT, "packages/server/src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const made = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/\bname: "(longwave_\w+)"/g)].map((match) => match[1]),
    ),
  );
  assert.deepEqual(told, made);
});

test("every error page names the calls that return it", () => {
  const pages = pagesIn("docs/errors").filter((page) => !page.endsWith("README.md"));
  assert.ok(pages.length > 40);
  const unmet = pages.filter((page) => !/^\| Met by \| (?:Any|Calls|`)/m.test(read(page)));
  assert.deepEqual(unmet, []);
});

test("the first guide lists every sandbox number with special behaviour", () => {
  const sources = ["network/carriers/simulated-network.ts", "messaging/verify/fraud/rules.ts"];
  const numbers = sources.flatMap((source) =>
    [...read(`packages/server/src/${source}`).matchAll(/"\+1500555(\d{4})"/g)].map(
      (match) => `+1 500 555 ${match[1]}`,
    ),
  );
  assert.ok(numbers.includes("+1 500 555 0020"));
  const guide = read("docs/guides/first-message.md");
  assert.deepEqual(
    numbers.filter((number) => !guide.includes(`| ${number} |`)),
    [],
  );
});

test("the guide to registrations names fields that a registration has", () => {
  const { properties } = JSON.parse(read("packages/contract/openapi.json")).components.schemas
    .Registration as { properties: Record<string, unknown> };
  const [, named = ""] =
    /the website is read at once, and `(\w+)` has the findings/.exec(
      read("docs/registrations.md"),
    ) ?? [];
  assert.ok(Object.hasOwn(properties, named), named);
});

test("every provider has a page with three steps, and the pages on carriers lead to it", () => {
  const types = [...PRESETS.keys()];
  assert.deepEqual(
    new Set(pagesIn("docs/carriers")),
    new Set(types.map((type) => `docs/carriers/${type}.md`)),
  );
  for (const type of types) {
    const page = read(`docs/carriers/${type}.md`);
    const steps = [...page.matchAll(/^(\d)\. \S/gm)].map(([, number]) => number);
    assert.deepEqual(steps, ["1", "2", "3"], type);
    assert.match(page, new RegExp(`^longwave carriers add ${type} .*--reply$`, "m"));
    for (const index of ["docs/carriers.md", "docs/providers.md"]) {
      assert.ok(read(index).includes(`](carriers/${type}.md)`), `${index} leads to ${type}`);
    }
  }
});
