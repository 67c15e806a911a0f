// Fails on regular expressions that can take more than linear time: `npm run check:regexes [-- FILE…]`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { root } from "./install.mjs";
import { problemsOf, readExpressions, schemaPatterns } from "./regexes.mjs";

const OPENAPI = "packages/contract/openapi.json";
const SOURCE = /^packages\/[^/]+\/src\/.*\.tsx?$/;
const TEST = /\.test\.tsx?$/;

function sources() {
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "packages"];
  const paths = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).split("\n");
  return paths.filter((path) => SOURCE.test(path) && !TEST.test(path));
}

const given = process.argv.slice(2);
const expressions = (given.length > 0 ? given : sources()).flatMap((path) =>
  readExpressions(root, path),
);
if (given.length === 0) {
  const document = JSON.parse(readFileSync(`${root}/${OPENAPI}`, "utf8"));
  expressions.push(...schemaPatterns(OPENAPI, document));
}
const { problems, unused } = problemsOf(expressions);
if (given.length === 0) {
  for (const [path, start] of unused) {
    problems.push(
      `${path}: no expression /${start}…/ needs its exception. Remove it from EXCEPTIONS.`,
    );
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
