// Runs test files, so many at a time, in the order given, and says which took longest.
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";

const SLOWEST_SHOWN = 10;
const { files, concurrency, timeout } = JSON.parse(process.argv[2]);
const msByFile = new Map();

const tests = run({ files, concurrency, timeout });
const count = ({ file, nesting, details }) => {
  if (nesting === 0 && file) msByFile.set(file, (msByFile.get(file) ?? 0) + details.duration_ms);
};
tests.on("test:pass", count);
tests.on("test:fail", (data) => {
  count(data);
  if (!data.todo) process.exitCode = 1;
});
tests.on("end", () => {
  const slowest = [...msByFile].sort((a, b) => b[1] - a[1]).slice(0, SLOWEST_SHOWN);
  console.error("Slowest files:");
  for (const [file, ms] of slowest)
    console.error(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${file}`);
});
tests.compose(process.stdout.isTTY ? new spec() : tap).pipe(process.stdout);
