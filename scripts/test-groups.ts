/**
 * Which test files share a process. Loading the server costs a process half a second of a core, and its code runs at
 * full speed only after a while: so a few files of a package run one after the other in one.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Few enough that none keeps a core busy when the others are done. */
const FILES_PER_PROCESS_MAX = 24;

/**
 * Marks of a file that needs its own process: hooks before tests outside any suite, settings, signals, replaced
 * globals, statements of a test, and measurements or watches of the process.
 */
const HAS_PROCESS_TO_ITSELF =
  /^(?:before(?:Each)?|afterEach)\(|\bmock\.(?:timers|method)\b|\bglobalThis\b|\bstatement\(\s*"|process\.(?:on|once|exit|chdir|memoryUsage|cpuUsage)\b|process\.env\[[^\]]+\] =|heapUsed|watchConnectionAttempts/m;

/** Groups of files, each for one process, the largest first: begun last, one would keep a core busy at the end. */
export function groupTests(root: string, files: readonly string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const isAlone = HAS_PROCESS_TO_ITSELF.test(readFileSync(join(root, file), "utf8"));
    const place = file.split("/").slice(0, 2).join("/");
    const begun = isAlone ? undefined : open.get(place);
    if (begun && begun.length < FILES_PER_PROCESS_MAX) {
      begun.push(file);
      continue;
    }
    const group = [file];
    groups.push(group);
    if (!isAlone) open.set(place, group);
  }
  return groups.sort((a, b) => b.length - a.length);
}
