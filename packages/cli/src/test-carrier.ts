import { setTimeout as sleep } from "node:timers/promises";
import type { CarrierLink, Longwave, Message } from "@longwave/sdk";
import type { Command } from "commander";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import { openKeyedSession, type Session } from "./session.ts";
import { styled, type Terminal } from "./terminal.ts";

const POLL_MS = 500;
const WAIT_SECONDS_DEFAULT = 60;
const WAIT_SECONDS_MAX = 600;

/** Longest wait for a new carrier's link. */
const LINK_SECONDS_MAX = 15;

interface TestOptions {
  readonly to?: string;
  readonly from?: string;
  readonly body?: string;
  readonly reply?: boolean;
  readonly wait: string;
}

/** Outcome of a test: the message as it ended, and the reply, if one was waited for. */
export interface TestedCarrier {
  readonly message: Message;
  readonly reply: Message | null;
}

/** `longwave carriers test telnyx --to +1…`: one real message, and what becomes of it. */
export function addTestCarrier(carriers: Command): void {
  const command = carriers
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
    .option("--body <text>", "text of the message")
    .option("--reply", "wait for your reply, too");
  waitOption(command).action(async (name: string, options: TestOptions, command: Command) => {
    const session = openKeyedSession(command);
    if (options.to === undefined) {
      throw new UsageError(
        `The phone number is missing. Example: longwave carriers test ${name} --to +1…`,
      );
    }
    const { message, reply } = await testCarrier(session, name, { ...options, to: options.to });
    if (session.terminal.json) {
      session.terminal.out(JSON.stringify(options.reply ? { message, reply } : message));
    }
  });
}

export function waitOption(command: Command): Command {
  const longest = String(WAIT_SECONDS_DEFAULT);
  return command.option("--wait <seconds>", "longest wait for the receipt, or the reply", longest);
}

/** Sends one message, and fails unless its receipt (and the reply, if wanted) came. */
export async function testCarrier(
  { terminal, client, access }: Session,
  name: string,
  options: TestOptions & { readonly to: string },
): Promise<TestedCarrier> {
  const waitSeconds = Number(options.wait);
  if (!Number.isInteger(waitSeconds) || waitSeconds < 1 || waitSeconds > WAIT_SECONDS_MAX) {
    throw new UsageError(`--wait takes whole seconds, ${WAIT_SECONDS_MAX} at most.`);
  }
  if (access.operatorToken === undefined) throw new UsageError(access.whyNoToken);
  const link = await settledLink(client, name);
  if (!terminal.json) printLink(terminal, link);
  if (link.state !== "up") {
    const why = link.last_error ?? "The server is still connecting.";
    throw new CommandFailure(`${name} is ${link.state}: ${why}`, EXIT.unreachable);
  }
  const from = options.from ?? (await numberOn(client, link));
  const sent = await client.messages.send({
    from,
    to: options.to,
    body: options.body ?? `Test of ${name} by Longwave`,
  });
  if (sent.object !== "message") throw new CommandFailure("Nothing was sent.", EXIT.refused);
  const message = await watch(client, sent, waitSeconds, (seen) => {
    if (!terminal.json) printState(terminal, seen);
  });
  report(message, await linkOf(client, name), waitSeconds);
  if (!options.reply) return { message, reply: null };
  if (!terminal.json) terminal.out(`Waiting for a reply from ${options.to} …`);
  const reply = await replyTo(client, message, waitSeconds);
  if (reply === null) {
    const { callback_urls, poll } = await linkOf(client, name);
    const cause = causeOf(callback_urls.inbound, poll);
    throw new CommandFailure(
      `No reply came within ${waitSeconds} seconds.${cause}`,
      EXIT.unreachable,
    );
  }
  if (!terminal.json) {
    terminal.out(
      `${styled(terminal, "green", "reply")}  ${reply.id}  ${JSON.stringify(reply.body)}`,
    );
  }
  return { message, reply };
}

/** The carrier's link, once it has been tried. */
async function settledLink(client: Longwave, name: string): Promise<CarrierLink> {
  let link = await linkOf(client, name);
  for (let waitedMs = 0; waitedMs < LINK_SECONDS_MAX * 1_000; waitedMs += POLL_MS) {
    if (link.state === "up" || link.last_error !== null) return link;
    await sleep(POLL_MS);
    link = await linkOf(client, name);
  }
  return link;
}

/** First message from the phone to the number since the test. */
async function replyTo(
  client: Longwave,
  { from, to, created_at }: Message,
  waitSeconds: number,
): Promise<Message | null> {
  for (let waitedMs = 0; waitedMs <= waitSeconds * 1_000; waitedMs += POLL_MS) {
    const filter = { direction: "inbound", from: to, to: from, limit: 1 } as const;
    const { data } = await client.messages.list(filter);
    const [newest] = data;
    if (newest && newest.created_at >= created_at) return newest;
    await sleep(POLL_MS);
  }
  return null;
}

export async function linkOf(client: Longwave, name: string): Promise<CarrierLink> {
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

function printLink(terminal: Terminal, link: CarrierLink) {
  const { name, preset, type, state, callback_urls, poll_seconds, poll } = link;
  terminal.out(`${name} (${preset ?? type}) is ${state}.`);
  if (poll_seconds !== null) {
    const what = callback_urls.inbound === null ? "Receipts and replies" : "Receipts";
    terminal.out(`${what} are read from the provider every ${poll_seconds} seconds`);
    if (poll?.last_error) terminal.out(`The latest poll failed: ${poll.last_error}`);
  }
  const named = { Receipts: callback_urls.receipts, Replies: callback_urls.inbound };
  for (const [what, url] of Object.entries(named)) {
    if (url) terminal.out(`${what} come to ${url}`);
  }
}

/** Probable cause of a receipt or a reply that did not come, as a sentence after a blank. */
function causeOf(url: string | null, poll: CarrierLink["poll"]): string {
  if (url !== null) return ` Does the provider call ${url}?`;
  return poll?.last_error ? ` The latest poll failed: ${poll.last_error}` : "";
}

function printState(terminal: Terminal, { status, id, from, to, failure }: Message): void {
  const color = status === "failed" ? "red" : status === "delivered" ? "green" : "cyan";
  const code = failure?.carrier_code ? ` (${failure.carrier_code})` : "";
  const why = failure ? `  ${failure.code}${code}` : "";
  terminal.out(`${styled(terminal, color, status)}  ${id}  ${from} → ${to}${why}`);
}

/** Ends with an error unless the message was delivered through this carrier. */
function report(
  message: Message,
  { name, callback_urls, poll }: CarrierLink,
  waitSeconds: number,
): void {
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
  const cause = causeOf(callback_urls.receipts, poll);
  throw new CommandFailure(
    `No receipt came within ${waitSeconds} seconds.${cause} longwave messages timeline ${message.id} shows more.`,
    EXIT.unreachable,
  );
}
