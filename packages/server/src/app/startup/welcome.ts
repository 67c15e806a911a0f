import { access } from "node:fs/promises";
import type { DataFolder } from "./data-folder.ts";
import type { FirstRun } from "./first-run.ts";

const LABEL_CHARS = 16;

/**
 * Hints for the person who started the server; on the first run also a call to paste. With npm's own lines and those
 * of the start it fits a terminal of 25 lines and 80 columns.
 */
export async function welcome(options: {
  url: string;
  folder: DataFolder;
  made: FirstRun | null;
  /** First-run link into the console; null once a user exists. */
  link: string | null;
  print: (line: string) => void;
}): Promise<void> {
  const { url, folder, made, link, print } = options;
  const row = (label: string, value: string) => print(`  ${label.padEnd(LABEL_CHARS)}${value}`);
  print(`Longwave is ready at ${url}`);
  row("Console", link === null ? url : `${link}  (works once, for a day)`);
  row("API", `${url}/v1`);
  row("Reference", `${url}/docs`);
  if (made) row("Test key", `${made.testKey}  (kept in ${folder.firstRunFile})`);
  else if (await exists(folder.firstRunFile)) row("Test key", `in ${folder.firstRunFile}`);
  row(
    "Operator token",
    folder.operatorTokenFile ? `in ${folder.operatorTokenFile}` : "from LONGWAVE_OPERATOR_TOKEN",
  );
  // The first screen names files of the folder, and has no line to spare.
  if (!made) row("Data", folder.path);
  print("");
  if (!made) return;
  for (const line of firstCall(url, made)) print(`  ${line}`);
  print("");
}

/** Sandbox number that always accepts messages. */
const DELIVERED = "+15005550000";

/** A call that sends the first message, as lines for a shell. */
function firstCall(url: string, made: FirstRun): string[] {
  const body = JSON.stringify({ from: made.testNumber, to: DELIVERED, body: "Hello" });
  return [
    `curl ${url}/v1/messages \\`,
    `  -H "Authorization: Bearer ${made.testKey}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ];
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
