#!/usr/bin/env node
import { ApiError } from "@longwave/sdk";
import { CommanderError } from "commander";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { VERSION } from "./version.ts";

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const program = createProgram(VERSION, given);
  try {
    await program.parseAsync(given.length === 0 ? ["serve"] : given, { from: "user" });
  } catch (error) {
    process.exitCode = tell(error, given.includes("--json"));
  }
}

/** Says what went wrong, for a person or as JSON, and gives the exit code. */
function tell(error: unknown, json: boolean): number {
  // Commander has said by itself what it had to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const code = exitCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const body = error instanceof ApiError ? error.body : { error: { code: "cli", message } };
    console.error(JSON.stringify(body));
  } else if (error instanceof ApiError) {
    for (const line of refusalLines(error)) console.error(line);
  } else {
    // What nobody foresaw is a fault of ours, and its stack says where.
    console.error(code === 1 && error instanceof Error ? error.stack : message);
  }
  return code;
}

function refusalLines(error: ApiError): string[] {
  return [
    `${error.code}: ${error.message}`,
    ...(error.param ? [`  field      ${error.param}`] : []),
    ...(error.requiredScope ? [`  scope      ${error.requiredScope}`] : []),
    ...(error.requestId ? [`  request    ${error.requestId}`] : []),
  ];
}

// A reader such as `head` may go away before everything is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
});
await main();
