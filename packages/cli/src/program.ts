import { Command } from "commander";
import { addDataCommands } from "./backup.ts";
import { addCarriers } from "./carriers.ts";
import { addCompletion } from "./completion.ts";
import { addCsvCommands } from "./csv-commands.ts";
import { addDoctor } from "./doctor.ts";
import { addEndpointCommands } from "./endpoint-commands.ts";
import { OPERATIONS } from "./generated/operations.ts";
import { addImport } from "./import-account.ts";
import { addListen } from "./listen.ts";
import { addLogin } from "./login.ts";
import { addLogs } from "./logs.ts";
import { addMcp } from "./mcp.ts";
import { addServe } from "./serve.ts";
import { addTexting } from "./texting.ts";
import { addTrigger } from "./trigger.ts";

const EXAMPLES = `
Examples:
  longwave                                          starts a server here
  longwave send +15005550000 "Your table is ready"  the first text
  longwave listen --forward-to http://localhost:3000/hooks
  longwave messages list --status failed --json

Exit codes: 0 done, 1 a check found something wrong (doctor, lint-registration), 2 wrong command
line, file or setting, 3 refused (4xx, a code that was wrong, no link to give), 4 rate or quota
(429), 5 server or network: no answer, a fault, or a server that cannot start.`;

/**
 * Creates the whole command line: handwritten commands, then one command per operation. With
 * `typed`, builds only the named groups, so that help stays fast.
 */
export function createProgram(version: string, typed: readonly string[] | null = null): Command {
  const program = new Command("longwave")
    .description(
      "Longwave: texts, verification codes and phone numbers. Without a command it serves.",
    )
    .version(version)
    .option("--profile <name>", "profile with the URL and key to use (see longwave login)")
    .option("--server <url>", "another server than the profile's, whose key is not sent there")
    .option("--key <key>", "another API key than the profile's")
    .option("--json", "answers as JSON, for programs")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true });
  addServe(program);
  addDoctor(program);
  addLogin(program);
  addTexting(program);
  addListen(program);
  addLogs(program);
  addTrigger(program);
  addMcp(program, version);
  addImport(program);
  addCarriers(program);
  addDataCommands(program);
  const isNamed = (group: string) => typed === null || typed.includes(group);
  addCsvCommands(program, addEndpointCommands(program, OPERATIONS, isNamed));
  addCompletion(program);
  return program;
}
