// Runs test files, so many at a time, in the order given; says at the end which failed, and which took longest.
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";
import { inspect } from "node:util";

const SLOWEST_SHOWN = 10;
/** What failed is told again at the end: of a long log often only that part is kept. */
const FAILED_SHOWN = 20;
const FAILED_TEXT_CHARACTERS_MAX = 1_500;
const { files, concurrency, timeout } = JSON.parse(process.argv[2]);
const msByFile = new Map();
const failed = [];

const tests = run({ files, concurrency, timeout });
const count = ({ file, nesting, details }) => {
  if (nesting === 0 && file) msByFile.set(file, (msByFile.get(file) ?? 0) + details.duration_ms);
};
tests.on("test:pass", count);
tests.on("test:fail", (data) => {
  count(data);
  if (data.todo) return;
  process.exitCode = 1;
  // A suite fails because of a test in it, which is told itself.
  if (data.details.error?.failureType !== "subtestsFailed") failed.push(data);
});

function tellFailed() {
  if (failed.length > 0) console.error(`Failed (${failed.length}):`);
  for (const { name, file, line, details } of failed.slice(0, FAILED_SHOWN)) {
    const why = inspect(details.error?.cause ?? details.error);
    console.error(`  ${file}:${line}  ${name}\n${why.slice(0, FAILED_TEXT_CHARACTERS_MAX)}`);
  }
}

tests.on("end", () => {
  tellFailed();
  const slowest = [...msByFile].sort((a, b) => b[1] - a[1]).slice(0, SLOWEST_SHOWN);
  console.error("Slowest files:");
  for (const [file, ms] of slowest)
    console.error(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${file}`);
});
tests.compose(process.stdout.isTTY ? new spec() : tap).pipe(process.stdout);
