// Runs test files, so many at a time, in the order given. Tells its parent the counts and the failures.
import { setMaxListeners } from "node:events";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";
import { inspect } from "node:util";

const FAILURES_MAX = 20;
const FAILURE_CHARACTERS_MAX = 1_500;
const { files, concurrency, timeout } = JSON.parse(process.argv[2]);
const counts = { passed: 0, failed: 0, skipped: 0 };
const msByFile = {};
/** Each outermost test, with what became of it. */
const outermost = [];
const failed = [];

/** A signal to this process ends the test processes, too. */
const ending = new AbortController();
// Each file listens to it; Node takes that for a leak from the eleventh listener on.
setMaxListeners(0, ending.signal);
process.once("SIGTERM", () => ending.abort());

const tests = run({ files, concurrency, timeout, signal: ending.signal });
const isSuite = ({ details }) => details.type === "suite";
const count = ({ file, nesting, details, name, skip, todo }, isPassed) => {
  if (nesting !== 0 || !file) return;
  const ms = details.duration_ms;
  msByFile[file] = (msByFile[file] ?? 0) + ms;
  const isSkipped = skip !== undefined || todo !== undefined;
  outermost.push({ file, name, ms, outcome: isSkipped ? "skipped" : isPassed ? "held" : "FAILED" });
};
tests.on("test:pass", (data) => {
  count(data, true);
  if (isSuite(data)) return;
  // The reasons may be empty strings, so presence decides.
  if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
  else counts.passed += 1;
});
tests.on("test:fail", (data) => {
  count(data, false);
  if (data.todo !== undefined) {
    counts.skipped += 1;
    return;
  }
  process.exitCode = 1;
  // The subtest that made its parent fail is counted and shown itself.
  if (data.details.error?.failureType === "subtestsFailed") return;
  counts.failed += 1;
  failed.push(data);
});

const failures = () =>
  failed.slice(0, FAILURES_MAX).map(({ name, file, line, details }) => {
    const why = inspect(details.error?.cause ?? details.error);
    return `${file}:${line}  ${name}\n${why.slice(0, FAILURE_CHARACTERS_MAX)}`;
  });

tests.on("end", () => {
  process.send?.({ counts, msByFile, outermost, failures: failures() }, () => process.disconnect());
});
tests.compose(process.stdout.isTTY ? new spec() : tap).pipe(process.stdout);
