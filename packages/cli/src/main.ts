#!/usr/bin/env node
import { ApiError, ConnectionError } from "@longwave/sdk";
import { CommanderError } from "commander";
import { EXIT, exitCodeOf, isFault } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { VERSION } from "./version.ts";

const NOBODY_THERE =
  "Is the server running? longwave starts one in this folder; --server or LONGWAVE_URL names another.";

const REPORT_IT =
  "Please report it with the command that was given; longwave --version says which version this is.";

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const program = createProgram(VERSION, given);
  try {
    await program.parseAsync(given.length === 0 ? ["serve"] : given, { from: "user" });
  } catch (error) {
    process.exitCode = reportError(error, given.includes("--json"));
  }
}

/** Prints an error, for a person or as JSON, and returns the exit code. */
function reportError(error: unknown, json: boolean): number {
  // Commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const code = exitCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const body = error instanceof ApiError ? error.body : { error: { code: "cli", message } };
    console.error(JSON.stringify(body));
  } else for (const line of sentences(error, message)) console.error(line);
  return code;
}

function sentences(error: unknown, message: string): string[] {
  if (error instanceof ApiError) return refusalLines(error);
  if (error instanceof ConnectionError) return [message, NOBODY_THERE];
  return isFault(error)
    ? [`longwave failed by a fault of its own: ${message}`, REPORT_IT]
    : [message];
}

function refusalLines(error: ApiError): string[] {
  return [
    `${error.code}: ${error.message}`,
    ...(error.param ? [`  field      ${error.param}`] : []),
    ...(error.requiredScope ? [`  scope      ${error.requiredScope}`] : []),
    ...(error.requestId ? [`  request    ${error.requestId}`] : []),
  ];
}

// A reader such as `head` may exit before everything is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
});
await main();
