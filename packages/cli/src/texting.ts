import { counted } from "@longwave/contract/tables";
import { countSegments, type Longwave } from "@longwave/sdk";
import type { Command } from "commander";
import { ask } from "./ask.ts";
import { reportCheck } from "./check-answer.ts";
import { UsageError } from "./exit-codes.ts";
import { printAnswer } from "./print.ts";
import { openKeyedSession, type Session } from "./session.ts";
import { styled } from "./terminal.ts";

/** Sandbox phone that always receives. */
export const SANDBOX_PHONE = "+15005550000";

/** `send`, `inbound` and `verify`, for manual use. */
export function addTexting(program: Command): void {
  program
    .command("send")
    .summary("send a text")
    .description("Sends a text. Without --from it leaves from a number of yours that fits the key.")
    .argument("<to>", "recipient's phone number")
    .argument("<text>", "text of the message")
    .option("--from <number>", "a number of yours, or the id of a pool")
    .option("--at <time>", "send it later: ISO 8601 with a zone, at most 30 days ahead")
    .option("--dry-run", "print the message and its cost, and send nothing")
    .action(async (to: string, text: string, options: SendOptions, command: Command) =>
      send(openKeyedSession(command), to, text, options),
    );
  program
    .command("inbound")
    .summary("simulate an inbound text to one of your test numbers")
    .description(
      "Simulates a text from a sandbox phone to a test number of yours, and appends a real message.received event.",
    )
    .argument("<text>", "text of the inbound message")
    .option("--from <phone>", "the simulated phone", SANDBOX_PHONE)
    .option("--to <number>", "a test number of yours")
    .action(async (text: string, options: { from: string; to?: string }, command: Command) => {
      const { terminal, client } = openKeyedSession(command);
      const to = options.to ?? (await ownNumber(client));
      printAnswer(terminal, await client.test.inbound({ from: options.from, to, body: text }));
    });
  program
    .command("verify")
    .summary("text a code to a phone, and check it")
    .description(
      "Texts a code to a phone; on a terminal it then prompts for the code and checks it. With --code it checks at once, and exits with status 3 if the code is wrong. Subcommands make the single API calls.",
    )
    .argument("[phone]", "phone number to verify")
    .option("--code <digits>", "check this code instead of sending one")
    .option("--app-name <name>", "shown in the text")
    .action(async (phone: string | undefined, options: VerifyOptions, command: Command) => {
      if (phone === undefined)
        throw new UsageError("The phone number is missing. Example: longwave verify +15005550000");
      await verify(openKeyedSession(command), phone, options);
    });
}

interface SendOptions {
  readonly from?: string;
  readonly at?: string;
  readonly dryRun?: boolean;
}

async function send(
  { terminal, client }: Session,
  to: string,
  text: string,
  options: SendOptions,
): Promise<void> {
  const from = options.from ?? (await ownNumber(client));
  const answer = await client.messages.send({
    to,
    from,
    body: text,
    ...(options.at === undefined ? {} : { scheduled_at: options.at }),
    ...(options.dryRun ? { dry_run: true } : {}),
  });
  if (terminal.json || answer.object !== "message") return printAnswer(terminal, answer);
  const { segments, encoding } = countSegments(text);
  const size = `${counted(segments, "segment")}, ${encoding}`;
  terminal.out(
    `${styled(terminal, "green", answer.status)}  ${answer.id}  ${answer.from} → ${answer.to}  (${size})`,
  );
}

/** First number of the key's mode. */
async function ownNumber(client: Longwave): Promise<string> {
  const mode = (await client.account.get()).key?.mode ?? "test";
  for await (const number of client.numbers.list({ mode })) return number.phone_number;
  throw new UsageError(
    `The account has no ${mode} number: longwave numbers available lists some to buy.`,
  );
}

interface VerifyOptions {
  readonly code?: string;
  readonly appName?: string;
}

async function verify(
  { terminal, client }: Session,
  phone: string,
  options: VerifyOptions,
): Promise<void> {
  if (options.code !== undefined) {
    return reportCheck(terminal, await client.verify.check({ phone, code: options.code }));
  }
  const started = await client.verify.start({
    phone,
    ...(options.appName === undefined ? {} : { app_name: options.appName }),
  });
  printAnswer(terminal, started);
  if (!terminal.isInteractive) return;
  // The service counts the attempts and ends them.
  for (let code = await ask("Code "); code !== ""; code = await ask("Code ")) {
    const checked = await client.verify.check({ phone, code });
    reportCheck(terminal, checked);
    if (checked.status !== "pending") return;
  }
}
