import type { MessageTimeline, VerificationCheck } from "@longwave/sdk";
import { type Command, Option } from "commander";
import { reportCheck } from "./check-answer.ts";
import { UsageError } from "./exit-codes.ts";
import { type Field, fieldsOf, fileText, jsonOf, typedValue } from "./fields.ts";
import { GROUPS } from "./generated/operations.ts";
import { invoke, type Values } from "./invoke.ts";
import { commandWords, kebab, type Operation } from "./operation.ts";
import { printAnswer } from "./print.ts";
import { openSession, type Session } from "./session.ts";
import { printTimeline } from "./timeline.ts";

/**
 * Adds one command per operation, `messages.send` as `longwave messages send`, in the requested
 * groups; other groups get their names only. Returns the operations that have commands.
 */
export function addEndpointCommands(
  program: Command,
  operations: readonly Operation[],
  isWanted: (group: string) => boolean,
): Operation[] {
  return operations.filter((operation) => {
    const words = commandWords(operation);
    const groups = operation.name.split(".").slice(0, -1);
    const [group = ""] = words;
    const outer = groupIn(program, groups.slice(0, 1));
    if (!isWanted(group)) return false;
    const parent = groups
      .slice(1)
      .reduce((at, _, index) => groupIn(at, groups.slice(0, index + 2)), outer);
    describe(parent.command(words.at(-1) ?? ""), operation);
    return true;
  });
}

/** Command of a group, such as ["operator", "accounts"], below that of the group around it. */
function groupIn(parent: Command, path: readonly string[]): Command {
  const name = kebab(path.at(-1) ?? "");
  const known = parent.commands.find((command) => command.name() === name);
  return known ?? parent.command(name).description(GROUPS[path.join(".")] ?? "");
}

function describe(command: Command, operation: Operation): void {
  command.summary(operation.summary);
  const about = operation.description ? `\n\n${operation.description}` : "";
  command.description(`${operation.summary}.${about}\n\n${operation.method} ${operation.path}`);
  for (const param of operation.params) command.argument(`<${kebab(param)}>`);
  const query = fieldsOf(operation.query);
  const body = fieldsOf(operation.body);
  for (const field of [...query, ...body]) command.addOption(optionOf(field));
  if (operation.body) {
    command.option("--data <json>", "the whole body as JSON, @file, or - for standard input");
  }
  if (operation.takes) {
    command.requiredOption("--file <file>", `the ${operation.takes} file, or - for standard input`);
  }
  if (operation.method === "POST") {
    command.option("--idempotency-key <key>", "the same key never does the work twice");
  }
  if (operation.isList) command.option("--all", "every page; with --json one item per line");
  command.action(() => runEndpoint(operation, command));
}

function optionOf(field: Field): Option {
  const value = {
    text: "<text>",
    texts: "<text...>",
    number: "<number>",
    boolean: "[boolean]",
    json: "<json>",
  };
  const needed = field.isRequired ? " (required)" : "";
  const option = new Option(`${field.flag} ${value[field.kind]}`, `${field.help}${needed}`);
  // For help and completion only: `choices()` would refuse what a newer server knows.
  if (field.choices) option.argChoices = [...field.choices];
  else if (field.kind === "boolean") option.argChoices = ["true", "false"];
  return option;
}

/** Runs the command of an operation. */
export async function runEndpoint(operation: Operation, command: Command): Promise<void> {
  const session = openSession(command);
  refuseWithoutKey(session, operation);
  const values = valuesOf(operation, command);
  if (operation.streams) return stream(session, operation, values);
  if (operation.isList && command.opts()["all"]) return printAll(session, operation, values);
  const answer = await invoke(session.client, operation, values);
  await report(session, operation, answer);
}

/** Prints an answer; some operations have a form of their own for people. */
async function report(session: Session, operation: Operation, answer: unknown): Promise<void> {
  const { terminal } = session;
  if (operation.name === "verify.check") return reportCheck(terminal, answer as VerificationCheck);
  if (operation.name === "messages.timeline" && !terminal.json) {
    return printTimeline(session, answer as MessageTimeline);
  }
  printAnswer(terminal, answer);
}

function refuseWithoutKey({ access }: Session, operation: Operation): void {
  if (operation.scope === "operator") {
    if (access.operatorToken === undefined) throw new UsageError(access.whyNoToken);
  } else if (access.apiKey === undefined) throw new UsageError(access.whyNoKey);
}

/** Path parameters that would change the path. */
const NO_PATH_PARTS = new Set(["", ".", ".."]);

/** Converts the command line to the call's arguments. */
export function valuesOf(operation: Operation, command: Command): Values {
  // The parent command may have an option of the same name, which then captures it: `verify check
  // --code`.
  const options = command.optsWithGlobals();
  const params = command.args.slice(0, operation.params.length);
  for (const [at, param] of params.entries()) {
    const name = kebab(operation.params[at] ?? "");
    if (NO_PATH_PARTS.has(param))
      throw new UsageError(`<${name}> cannot be ${JSON.stringify(param)}.`);
  }
  return {
    params,
    query: given(fieldsOf(operation.query), options),
    body: bodyOf(operation, options),
    idempotencyKey: options["idempotencyKey"] as string | undefined,
  };
}

function given(
  fields: readonly Field[],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = fields.flatMap((field) => {
    const value = options[optionOf(field).attributeName()];
    return value === undefined ? [] : [[field.name, typedValue(field, value)] as const];
  });
  return Object.fromEntries(entries);
}

/** Merges fields from options over --data, and reports missing required ones. */
export function bodyOf(
  operation: Operation,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> | string | undefined {
  if (operation.takes) return fileText("--file", String(options["file"]));
  if (!operation.body) return undefined;
  const fields = fieldsOf(operation.body);
  const data = options["data"] === undefined ? {} : jsonOf("--data", String(options["data"]));
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new UsageError("--data takes a JSON object.");
  }
  const body: Record<string, unknown> = { ...data, ...given(fields, options) };
  const missing = fields.filter((field) => field.isRequired && !(field.name in body));
  const isEmpty = Object.keys(body).length === 0;
  if (isEmpty && operation.bodyOptional) return undefined;
  if (missing.length > 0) {
    const flags = missing.map((field) => field.flag).join(", ");
    throw new UsageError(`${missing.length === 1 ? "This is" : "These are"} missing: ${flags}`);
  }
  return body;
}

async function printAll(session: Session, operation: Operation, values: Values): Promise<void> {
  const list = invoke(session.client, operation, values) as unknown as {
    pages(): AsyncIterable<{ data: unknown[]; has_more: boolean }>;
  };
  for await (const page of list.pages()) {
    if (!session.terminal.json) {
      printAnswer(session.terminal, { ...page, next_cursor: null });
      continue;
    }
    for (const item of page.data) session.terminal.out(JSON.stringify(item));
  }
}

async function stream(session: Session, operation: Operation, values: Values): Promise<void> {
  const response = (await invoke(session.client, operation, values)) as Response;
  for await (const chunk of response.body ?? []) process.stdout.write(chunk);
}
