// Regular expressions that can take more than linear time.
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

/** Problems of the files given, or of all sources and the schemas. */
export function regexProblems(given) {
  const expressions = (given.length > 0 ? given : sources()).flatMap((path) =>
    readExpressions(root, path),
  );
  if (given.length > 0) return problemsOf(expressions).problems;
  const document = JSON.parse(readFileSync(`${root}/${OPENAPI}`, "utf8"));
  const { problems, unused } = problemsOf([...expressions, ...schemaPatterns(OPENAPI, document)]);
  const needless = unused.map(
    ([path, start]) =>
      `${path}: no expression /${start}…/ needs its exception. Remove it from EXCEPTIONS.`,
  );
  return [...problems, ...needless];
}
