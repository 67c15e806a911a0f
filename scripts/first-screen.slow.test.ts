import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { emptied, temporaryFolder } from "../packages/server/testing/temporary-folder.ts";
import { until } from "../packages/server/testing/until.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [LINES, COLUMNS] = [25, 80];
/** Lines of a fresh clone, which a later start leaves out. */
const INSTALL_AND_BUILD = /^✓ (?:Installing|Building) /;
const INSTALL_AND_BUILD_LINES = 2;
const ERASE_LINE = "\r\u001b[K";
const START_MS_MAX = 60_000;

const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "";
const skip = hasScript.includes("util-linux") ? false : "needs script of util-linux";

/** Rows that a terminal shows: redrawn lines once, long lines wrapped. */
function rowsOf(output: string): string[] {
  const lines = output.replaceAll("\r\n", "\n").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const shown = stripVTControlCharacters(line.split(ERASE_LINE).at(-1) ?? "");
    return shown.match(new RegExp(`.{1,${COLUMNS}}`, "gu")) ?? [""];
  });
}

test("the first start on a terminal fits one screen: a line per phase, readable logs, a call to paste", {
  skip,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const command = `stty cols ${COLUMNS} rows ${LINES}; npm start`;
  const terminal = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], HOME: folder, PORT: "0", LONGWAVE_DATA: folder },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = once(terminal, "close");
  t.after(async () => {
    terminal.kill("SIGTERM");
    await ended;
    // The terminal hangs up, and the server finishes its work.
    await emptied(folder);
  });
  let output = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await until(() => output.includes("warm-up: done") || terminal.exitCode !== null, START_MS_MAX);
  // Lines wrap as with the default folder, whose path is shorter.
  const rows = rowsOf(output.replaceAll(folder, "./.longwave"));
  const screen = rows.join("\n");
  t.diagnostic(`${rows.length} rows`);
  const always = rows.filter((row) => !INSTALL_AND_BUILD.test(row));
  assert.ok(always.length + INSTALL_AND_BUILD_LINES <= LINES, screen);
  assert.match(screen, /^✓ Starting the embedded PostgreSQL {2}\d+\.\d s$/m);
  assert.match(screen, /^Migrated: \d+ files in \d+\.\d s\.$/m);
  assert.match(screen, /^✓ Starting the server {2}\d+\.\d s$/m);
  assert.match(screen, /^Longwave is ready at http:/m);
  assert.match(screen, /^ {2}curl http:\S+\/v1\/messages \\$/m);
  assert.match(screen, /^\d\d:\d\d:\d\d info {2}warm-up: done ms=\d+$/m);
});
