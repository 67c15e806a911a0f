import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "@longwave/contract/tables";
import type { Batch, BatchesCreateBody, BatchValidation } from "@longwave/sdk";
import type { Command } from "commander";
import { confirm } from "./ask.ts";
import {
  mapColumns,
  PHONE_NAMES,
  type RejectedRow,
  readTable,
  rejectedCsv,
  type Table,
  type TableFile,
} from "./csv.ts";
import { bodyOf, runEndpoint } from "./endpoint-commands.ts";
import { UsageError } from "./exit-codes.ts";
import { contactsOf, type ImportAnswer, importContacts } from "./import-contacts.ts";
import { invoke } from "./invoke.ts";
import type { Operation } from "./operation.ts";
import { printAnswer } from "./print.ts";
import { progressBar } from "./progress.ts";
import { openKeyedSession, type Session } from "./session.ts";

const RECIPIENTS_MAX = 10_000;
const POLL_MS = 500;
const WATCH_MS_MAX = 3_600_000;

interface CsvOptions {
  readonly csv?: string;
  readonly map?: string[];
  readonly rejected?: string;
  readonly yes?: boolean;
  readonly wait?: boolean;
}

/** `batches create --csv file` and `contacts import file`. */
export function addCsvCommands(program: Command, operations: readonly Operation[]): void {
  const found = (name: string) => operations.find((operation) => operation.name === name);
  const batches = found("batches.create");
  if (batches) addBatchFile(commandAt(program, ["batches", "create"]), batches);
  const contacts = found("contacts.import");
  if (contacts) addContactsFile(commandAt(program, ["contacts", "import"]), contacts);
}

function commandAt(program: Command, words: readonly string[]): Command {
  return words.reduce((at: Command, word) => {
    const next = at.commands.find((command) => command.name() === word);
    if (!next) throw new Error(`There is no command ${words.join(" ")}.`);
    return next;
  }, program);
}

function addFileOptions(command: Command): void {
  command
    .option(
      "--map <field=Column...>",
      "field of each column whose name does not say it, such as to=Mobile",
    )
    .option("--rejected <file>", "file for rejected rows (default: beside the CSV file)")
    .option("--yes", "skip the question after the dry run");
}

function addBatchFile(command: Command, operation: Operation): void {
  command.option(
    "--csv <file>",
    "recipients from a file: a column with numbers, the others are variables",
  );
  addFileOptions(command);
  command.option("--wait", "watch until every text is sent");
  command.action(async (options: CsvOptions & Record<string, unknown>) => {
    if (options.csv === undefined) return runEndpoint(operation, command);
    await createFromFile(openKeyedSession(command), operation, options, options.csv);
  });
}

async function createFromFile(
  session: Session,
  operation: Operation,
  options: CsvOptions & Record<string, unknown>,
  file: string,
): Promise<void> {
  const { terminal, client } = session;
  const table = openTable(session, file);
  if (table.rows.length > RECIPIENTS_MAX) {
    throw new UsageError(
      `A batch has at most ${RECIPIENTS_MAX} recipients; ${file} has ${table.rows.length}. Split it.`,
    );
  }
  const given = bodyOf(operation, options) as unknown as BatchesCreateBody;
  const body = { ...given, recipients: recipientsOf(table, options.map ?? []) };
  const checked = (await client.batches.create({ ...body, dry_run: true })) as BatchValidation;
  const kept = keepRejected(table, checked.rejected, options.rejected ?? `${file}.rejected.csv`);
  if (terminal.json) terminal.err(JSON.stringify(checked));
  else {
    const cost = `${counted(checked.segments.total, "segment")}, USD ${checked.estimated_cost_usd}`;
    terminal.err(
      `${checked.valid} of ${counted(checked.total, "row")} would get a text (${cost}).`,
    );
    for (const { to, body: text } of checked.preview) terminal.err(`  ${to}  ${text}`);
    if (kept) terminal.err(`${checked.rejected.length} rejected: see ${kept}`);
  }
  if (given.dry_run) return printAnswer(terminal, checked);
  if (!(await mayGoOn(session, options, `Send ${counted(checked.valid, "text")}?`))) return;
  const batch = (await client.batches.create(body)) as Batch;
  printAnswer(terminal, options.wait ? await watch(session, batch) : batch);
}

/** Reads a file; a guessed encoding is shown, because it may be wrong. */
function openTable({ terminal }: Session, file: string): TableFile {
  const table = readTable(file);
  if (!terminal.json && table.encoding !== "UTF-8") {
    terminal.err(`${file} is not UTF-8: read as ${table.encoding}.`);
  }
  return table;
}

function recipientsOf(
  table: Table,
  given: readonly string[],
): { to: string; variables: Record<string, string> }[] {
  const columns = mapColumns(table.columns, { to: PHONE_NAMES }, given);
  const to = columns.get("to");
  if (to === undefined) {
    throw new UsageError(
      `No column looks like a phone number: name it with --map to=COLUMN. Columns: ${table.columns.join(", ")}.`,
    );
  }
  const renamed = new Map([...columns].map(([field, at]) => [at, field]));
  return table.rows.map((row) => ({
    to: row[to] ?? "",
    variables: Object.fromEntries(
      table.columns.flatMap((name, at) =>
        at === to ? [] : [[renamed.get(at) ?? name, row[at] ?? ""]],
      ),
    ),
  }));
}

/** Writes the rejected rows next to the file; returns null without any. */
function keepRejected(table: Table, rejected: readonly RejectedRow[], file: string): string | null {
  if (rejected.length === 0) return null;
  writeFileSync(file, rejectedCsv(table, rejected));
  return file;
}

async function mayGoOn(
  { terminal }: Session,
  options: CsvOptions,
  question: string,
): Promise<boolean> {
  if (options.yes) return true;
  if (terminal.isInteractive && !terminal.json) return confirm(question);
  terminal.err("This was the dry run: add --yes to continue.");
  return false;
}

/** Watches a batch until everything is sent. */
async function watch({ terminal, client }: Session, batch: Batch): Promise<Batch> {
  const bar = progressBar(terminal, "Sending", batch.counts.total);
  let now = batch;
  for (let waitedMs = 0; waitedMs < WATCH_MS_MAX; waitedMs += POLL_MS) {
    bar.at(now.counts.total - now.counts.queued - now.counts.paused);
    if (now.status === "complete" || now.status === "canceled") break;
    await sleep(POLL_MS);
    now = await client.batches.get(batch.id);
  }
  bar.end();
  return now;
}

function totalsLine(isJson: boolean, totals: object): string {
  if (isJson) return JSON.stringify(totals);
  const counts = Object.entries(totals).filter(([name, count]) => name === "found" || count !== 0);
  return counts.map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`).join(", ");
}

function addContactsFile(command: Command, operation: Operation): void {
  command.argument("[file]", "a CSV file with a column of phone numbers");
  addFileOptions(command);
  command.action(async (file: string | undefined, options: CsvOptions & { name?: string }) => {
    if (file === undefined) return runEndpoint(operation, command);
    const session = openKeyedSession(command);
    const table = openTable(session, file);
    const contacts = contactsOf(table, options.map ?? []);
    const call = (body: unknown) =>
      invoke(session.client, operation, { params: [], body }) as Promise<ImportAnswer>;
    const check = await importContacts(contacts, call, { dryRun: true });
    const kept = keepRejected(table, check.rejected, options.rejected ?? `${file}.rejected.csv`);
    session.terminal.err(totalsLine(session.terminal.json, check.totals));
    if (kept) session.terminal.err(`${check.rejected.length} rejected: see ${kept}`);
    if (
      !(await mayGoOn(
        session,
        options,
        `Import ${counted(contacts.length - check.rejected.length, "contact")}?`,
      ))
    )
      return;
    const bar = progressBar(session.terminal, "Importing", contacts.length);
    const done = await importContacts(contacts, call, {
      dryRun: false,
      ...(options.name === undefined ? {} : { name: options.name }),
      onProgress: (count) => bar.at(count),
    });
    bar.end();
    printAnswer(session.terminal, done.totals);
  });
}
