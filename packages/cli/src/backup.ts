import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { UsageError } from "./exit-codes.ts";
import type { GlobalOptions } from "./profiles.ts";
import { openTerminal } from "./terminal.ts";

/** The programs can be copied again at any time, and sockets mean nothing elsewhere. */
const LEFT_OUT = ["postgres/binaries", "postgres/run", "postgres.log"];

/** `backup` and `restore` of the folder that a server with an embedded database keeps. */
export function addDataCommands(program: Command): void {
  program
    .command("backup")
    .summary("pack the data folder of a stopped server into a file")
    .description(
      "Packs the whole data folder, database and secrets included, into one file that only you may read. The server must be stopped. With a PostgreSQL of your own (DATABASE_URL) use pg_dump, and keep the file secret-key of the data folder with it.",
    )
    .argument("<file>", "such as longwave-backup.tar.gz")
    .option("--data <folder>", "the data folder (LONGWAVE_DATA, default .longwave)")
    .action((file: string, options: { data?: string }, command: Command) => {
      const bytes = backup(dataFolder(options.data), file);
      tell(command, { file: resolve(file), bytes }, `Packed into ${file} (${bytes} bytes).`);
    });
  program
    .command("restore")
    .summary("make a data folder out of a backup")
    .description("Unpacks a backup into a data folder that does not exist yet.")
    .argument("<file>", "what longwave backup made")
    .option("--data <folder>", "the data folder (LONGWAVE_DATA, default .longwave)")
    .action((file: string, options: { data?: string }, command: Command) => {
      const folder = dataFolder(options.data);
      restore(file, folder);
      tell(command, { folder }, `Restored into ${folder}. longwave serve starts it.`);
    });
}

function tell(command: Command, result: object, sentence: string): void {
  const { json } = command.optsWithGlobals<GlobalOptions>();
  openTerminal(json === true).out(json ? JSON.stringify(result) : sentence);
}

function dataFolder(given: string | undefined): string {
  return resolve(given ?? process.env["LONGWAVE_DATA"] ?? ".longwave");
}

export function backup(folder: string, file: string): number {
  if (!existsSync(join(folder, "postgres"))) {
    throw new UsageError(`${folder} holds no database of Longwave: name the folder with --data.`);
  }
  const pid = runningDatabase(folder);
  if (pid !== null) {
    throw new UsageError(
      `The database in ${folder} is running (process ${pid}): stop the server first.`,
    );
  }
  if (existsSync(file)) throw new UsageError(`${file} is there already: name another file.`);
  const unfinished = `${resolve(file)}.new-${process.pid}`;
  try {
    // The database may lie elsewhere behind a link; a backup has it whole.
    const excluded = LEFT_OUT.map((path) => `--exclude=./${path}`);
    tar(["-czhf", unfinished, "--numeric-owner", ...excluded, "-C", folder, "."]);
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return statSync(file).size;
}

export function restore(file: string, folder: string): void {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UsageError(`${folder} is there already: move it away, or name another with --data.`);
  }
  const unfinished = `${folder}.new-${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(unfinished, { mode: 0o755 });
  try {
    tar(["-xzpf", resolve(file), "--numeric-owner", "-C", unfinished]);
    if (!existsSync(join(unfinished, "postgres/cluster/PG_VERSION"))) {
      throw new UsageError(`${file} is no backup of Longwave: it holds no database.`);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The process of the database in a folder, or null when none runs. */
function runningDatabase(folder: string): number | null {
  let text: string;
  try {
    text = readFileSync(join(folder, "postgres/cluster/postmaster.pid"), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const pid = Number(text.split("\n")[0]);
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? pid : null;
  }
}

function tar(args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("tar", args, { encoding: "utf8" });
  if (error) throw new UsageError("The program tar is needed and cannot be run.", { cause: error });
  if (status !== 0) throw new UsageError(`tar failed: ${stderr.trim()}`);
}
