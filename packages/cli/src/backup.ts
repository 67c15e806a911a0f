import { resolve } from "node:path";
import type { Command } from "commander";
import type { GlobalOptions } from "./access.ts";
import { UsageError } from "./exit-codes.ts";
import { serverCommand } from "./serve.ts";
import { openTerminal } from "./terminal.ts";

/** `backup` and `restore` of the data folder of a server with an embedded database. */
export function addDataCommands(program: Command): void {
  program
    .command("backup")
    .summary("pack the data folder of a server into a file, while it runs or not")
    .description(
      "Packs the whole data folder, database and secrets included, into one file that only you may read. The server may run meanwhile. With a PostgreSQL of your own (DATABASE_URL) use pg_dump or WAL archiving, and keep the file secret-key of the data folder with it.",
    )
    .argument("<file>", "such as longwave-backup.tar.gz")
    .option("--data <folder>", "the data folder (LONGWAVE_DATA, default .longwave)")
    .action((file: string, options: { data?: string }, command: Command) => {
      const sentence = runOn(options.data, ["backup", resolve(file)]);
      printResult(command, { file: resolve(file) }, sentence);
    });
  program
    .command("restore")
    .summary("make a data folder out of a backup")
    .description(
      "Unpacks a backup into a data folder that does not exist yet. A server starts on it on hold: it sends nothing before the operator has seen what would be sent (longwave operator hold get) and released it.",
    )
    .argument("<file>", "backup file made by longwave backup")
    .option("--data <folder>", "the data folder (LONGWAVE_DATA, default .longwave)")
    .action((file: string, options: { data?: string }, command: Command) => {
      const sentence = runOn(options.data, ["restore", resolve(file)]);
      printResult(command, { folder: dataFolder(options.data) }, sentence);
    });
}

/** Runs the server's own command; a refusal becomes one line. */
function runOn(data: string | undefined, args: readonly string[]): string {
  const { status, stdout, stderr } = serverCommand(args, { LONGWAVE_DATA: dataFolder(data) });
  if (status !== 0) throw new UsageError(stderr.trim());
  return stdout.trim();
}

function printResult(command: Command, result: object, sentence: string): void {
  const { json } = command.optsWithGlobals<GlobalOptions>();
  openTerminal(json === true).out(json ? JSON.stringify(result) : sentence);
}

function dataFolder(given: string | undefined): string {
  return resolve(given || process.env["LONGWAVE_DATA"] || ".longwave");
}
