/**
 * Finds regular expressions that can take more than linear time: literals, and patterns of schemas. `scslre` proves
 * from the automaton that an input of some shape is slow; it never runs the expression.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { analyse } from "scslre";

// A package of the console's build: as one of the root, every first start would wait for its 20 MB.
const { parseAst } = createRequire(new URL("../packages/console/package.json", import.meta.url))(
  "rolldown/parseAst",
);

/**
 * Expressions that may be slow, each with the reason why nobody can make them so: whose text they read, or how long it
 * is at most.
 */
export const EXCEPTIONS = [
  ["packages/console/src/csv.ts", "^_+|_+$", "a column name of the person's own file"],
  ["packages/console/src/shell/palette-items.ts", "^\\S+@\\S+$", "what the person types"],
  ["packages/cli/src/profiles.ts", "\\/+$", "the person's own setting"],
  ["packages/sdk/src/core/settings.ts", "\\/+$", "the developer's own setting"],
  ["packages/server/src/core/db/citus/functions.ts", "^(\\s+(?:set )?\\w+ =", "our own SQL"],
  ["packages/server/src/core/db/citus/functions.ts", "^\\s+perform pg_notify", "our own SQL"],
  [
    "packages/server/src/core/db/driver/hosts.ts",
    "^(postgres(?:ql)?:",
    "the operator's own setting",
  ],
  ["packages/server/src/core/db/schema/shard-check.ts", "create\\s+(?:unlogged", "our own SQL"],
  [
    "packages/server/src/network/registrations/rules/sample-links.ts",
    "[.,;:!?)]+$",
    "600 characters at most, the longest link that LINK finds",
  ],
  [
    "packages/server/src/network/registrations/website/first-mail.ts",
    "[.-]+$",
    "318 characters at most, 64 before the @ and 253 after it",
  ],
];

/** Expressions in a source file: literals, `pattern: "…"` of schemas, and constants named …_PATTERN. */
function expressionsIn(path, source) {
  const found = [];
  const add = (node, pattern, flags) =>
    found.push({ path, line: source.slice(0, node.start).split("\n").length, pattern, flags });
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    if (node.type === "Literal" && node.regex) add(node, node.regex.pattern, node.regex.flags);
    const named = patternOf(node);
    if (named !== null) add(node, named, "u");
    for (const field of Object.values(node)) visit(field);
  };
  visit(parseAst(source, { lang: path.endsWith("x") ? "tsx" : "ts" }));
  return found;
}

/** The text of a schema's pattern, where it is written as one string. */
function patternOf(node) {
  const isProperty = node.type === "Property" && node.key.name === "pattern";
  const isConstant = node.type === "VariableDeclarator" && /_PATTERN$/.test(node.id.name ?? "");
  const value = isProperty ? node.value : isConstant ? node.init : null;
  return value?.type === "Literal" && typeof value.value === "string" ? value.value : null;
}

/** Patterns of a JSON schema, those that the sources compute included. */
export function schemaPatterns(path, schema) {
  const found = new Set();
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (typeof node.pattern === "string") found.add(node.pattern);
    for (const field of Object.values(node)) visit(field);
  };
  visit(schema);
  return [...found].map((pattern) => ({ path, line: 1, pattern, flags: "u" }));
}

/** Whether some input makes the expression slower than linear. */
export function isSlow({ pattern, flags }) {
  return analyse(new RegExp(pattern, flags)).reports.length > 0;
}

/** Problems of the expressions, and exceptions that no expression needs. */
export function problemsOf(expressions) {
  const used = new Set();
  const problems = [];
  for (const expression of expressions) {
    if (!isSlow(expression)) continue;
    const exception = EXCEPTIONS.find(
      ([path, start]) => path === expression.path && expression.pattern.startsWith(start),
    );
    if (exception) used.add(exception);
    else problems.push(describe(expression));
  }
  const unused = EXCEPTIONS.filter((exception) => !used.has(exception));
  return { problems, unused };
}

function describe({ path, line, pattern }) {
  return `${path}:${line}: some input makes /${pattern}/ slower than linear. Rewrite it so that each character can be read in one way only, or add it to EXCEPTIONS of scripts/regexes.mjs with the reason.`;
}

export function readExpressions(root, path) {
  return expressionsIn(path, readFileSync(resolve(root, path), "utf8"));
}
