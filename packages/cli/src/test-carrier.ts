import { setTimeout as sleep } from "node:timers/promises";
import type { CarrierLink, Longwave, Message } from "@longwave/sdk";
import type { Command } from "commander";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import { openKeyedSession, type Session } from "./session.ts";
import { styled, type Terminal } from "./terminal.ts";

const POLL_MS = 500;
const WAIT_SECONDS_DEFAULT = 60;
const WAIT_SECONDS_MAX = 600;

interface TestOptions {
  readonly to?: string;
  readonly from?: string;
  readonly wait: string;
}

/** `longwave carriers test telnyx --to +1…`: one real message, and what becomes of it. */
export function addTestCarrier(program: Command): void {
  const carriers = program
    .command("carriers")
    .summary("try a carrier of this server")
    .description("Commands for the carriers of the carriers file.");
  carriers
    .command("test")
    .summary("send one real message through a carrier, and wait for its receipt")
    .description(
      "Looks at the carrier's link, sends one real message from a live number that it serves, and prints every state until the receipt is there. It needs a live key and the operator's token.",
    )
    .argument("<name>", "name of the carrier in the carriers file")
    .option("--to <phone>", "your own phone")
    .option(
      "--from <number>",
      "a live number of yours; otherwise the first that the carrier serves",
    )
    .option("--wait <seconds>", "longest wait for the receipt", String(WAIT_SECONDS_DEFAULT))
    .action(async (name: string, options: TestOptions, command: Command) => {
      const session = openKeyedSession(command);
      if (options.to === undefined) {
        throw new UsageError(`Whose phone? longwave carriers test ${name} --to +1…`);
      }
      await testCarrier(session, name, { ...options, to: options.to });
    });
}

async function testCarrier(
  { terminal, client, access }: Session,
  name: string,
  options: TestOptions & { readonly to: string },
): Promise<void> {
  const waitSeconds = Number(options.wait);
  if (!Number.isInteger(waitSeconds) || waitSeconds < 1 || waitSeconds > WAIT_SECONDS_MAX) {
    throw new UsageError(`--wait takes whole seconds, ${WAIT_SECONDS_MAX} at most.`);
  }
  if (access.operatorToken === undefined) throw new UsageError(access.whyNoToken);
  const link = await linkOf(client, name);
  if (!terminal.json) printLink(terminal, link);
  if (link.state !== "up") {
    const why = link.last_error ?? "The server is still connecting.";
    throw new CommandFailure(`${name} is ${link.state}: ${why}`, EXIT.unreachable);
  }
  const from = options.from ?? (await numberOn(client, link));
  const sent = await client.messages.send({
    from,
    to: options.to,
    body: `Test of ${name} by Longwave`,
  });
  if (sent.object !== "message") throw new CommandFailure("Nothing was sent.", EXIT.refused);
  const ended = await watch(client, sent, waitSeconds, (message) => {
    if (!terminal.json) printState(terminal, message);
  });
  if (terminal.json) terminal.out(JSON.stringify(ended));
  report(ended, link, waitSeconds);
}

async function linkOf(client: Longwave, name: string): Promise<CarrierLink> {
  const names: string[] = [];
  for await (const link of client.operator.carriers.list()) {
    if (link.name === name) return link;
    names.push(link.name);
  }
  const known = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`;
  throw new UsageError(`The carriers file has no ${name}. ${known}`);
}

/** First live number of the account that the carrier serves. */
async function numberOn(client: Longwave, { name, numbers }: CarrierLink): Promise<string> {
  const { key } = await client.account.get();
  if (key?.mode !== "live") {
    throw new UsageError("The message is real: give a live key with --key or LONGWAVE_API_KEY.");
  }
  for await (const { phone_number } of client.numbers.list({ mode: "live" })) {
    if (numbers === "*" || numbers.includes(phone_number)) return phone_number;
  }
  throw new UsageError(`The account has no live number that ${name} serves. Name one with --from.`);
}

/** Polls until the message has ended, or the time is over; calls back on every new state. */
async function watch(
  client: Longwave,
  first: Message,
  waitSeconds: number,
  onState: (message: Message) => void,
): Promise<Message> {
  let message = first;
  onState(message);
  for (let waitedMs = 0; waitedMs < waitSeconds * 1_000; waitedMs += POLL_MS) {
    if (message.status === "delivered" || message.status === "failed") return message;
    await sleep(POLL_MS);
    const seen = await client.messages.get(first.id);
    if (seen.status !== message.status) onState(seen);
    message = seen;
  }
  return message;
}

function printLink(terminal: Terminal, { name, preset, type, state, callback_urls }: CarrierLink) {
  terminal.out(`${name} (${preset ?? type}) is ${state}.`);
  const named = { Receipts: callback_urls.receipts, Replies: callback_urls.inbound };
  for (const [what, url] of Object.entries(named)) {
    if (url) terminal.out(`${what} come to ${url}`);
  }
}

function printState(terminal: Terminal, { status, id, from, to, failure }: Message): void {
  const color = status === "failed" ? "red" : status === "delivered" ? "green" : "cyan";
  const code = failure?.carrier_code ? ` (${failure.carrier_code})` : "";
  const why = failure ? `  ${failure.code}${code}` : "";
  terminal.out(`${styled(terminal, color, status)}  ${id}  ${from} → ${to}${why}`);
}

/** Ends with an error unless the message was delivered through this carrier. */
function report(message: Message, { name, callback_urls }: CarrierLink, waitSeconds: number): void {
  if (message.carrier !== null && message.carrier !== name) {
    const sentence = `${message.carrier} took the message: its priority is before that of ${name}.`;
    throw new CommandFailure(sentence, EXIT.refused);
  }
  if (message.status === "delivered") return;
  if (message.status === "failed") {
    throw new CommandFailure(
      `The message failed: ${message.failure?.explanation ?? message.failure?.code ?? ""}`,
      EXIT.refused,
    );
  }
  const where = callback_urls.receipts;
  const remedy =
    where === null
      ? `longwave messages timeline ${message.id} shows more.`
      : `Does the provider call ${where}? longwave messages timeline ${message.id} shows more.`;
  throw new CommandFailure(
    `No receipt came within ${waitSeconds} seconds. ${remedy}`,
    EXIT.unreachable,
  );
}
