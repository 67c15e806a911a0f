import type {
  CarrierCallbacks,
  CarrierEntry,
  CarrierPreset,
  OperatorAccount,
  TakenNumbers,
} from "@longwave/sdk";
import type { Command } from "commander";
import { ask, confirm } from "./ask.ts";
import { accountOf, chosenNumbers, fieldsOf, presetOf } from "./carrier-choices.ts";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import { clientOf, openSession, type Session } from "./session.ts";
import { type TestedCarrier, testCarrier, waitOption } from "./test-carrier.ts";

/** Credit that an account without money gets, so that its first message can leave. */
const FIRST_CREDIT_USD = 10;
const PHONE = /^\+[1-9]\d{6,14}$/;

interface AddOptions {
  readonly name?: string;
  readonly set: readonly string[];
  readonly baseUrl?: string;
  readonly privateAddress?: boolean;
  readonly numbers?: string;
  readonly reference?: string;
  readonly account?: string;
  readonly webhook: boolean;
  readonly to?: string;
  readonly body?: string;
  readonly reply?: boolean;
  readonly wait: string;
}

/** `longwave carriers add telnyx`: from a provider's key to a delivered message. */
export function addAddCarrier(carriers: Command): void {
  const collect = (value: string, before: readonly string[]) => [...before, value];
  const command = carriers
    .command("add")
    .summary("add a provider: its key, its numbers, its webhook, and a first message")
    .description(
      "Prompts for the provider's key and checks it, adds an entry to the carriers file, assigns the numbers that you choose, sets the webhook at the provider if its API allows it, or polls the provider if it cannot call the server, and sends a message to your own phone. Without a terminal, give options; secrets are read from variables such as TELNYX_API_KEY.",
    )
    .argument("<provider>", "telnyx, twilio, smsgate or another preset")
    .option("--name <name>", "name in the carriers file (default: the provider's)")
    .option("--set <field=value>", "a field of the provider, such as account_sid=AC…", collect, [])
    .option("--base-url <origin>", "origin of the provider's API, for self-hosted ones")
    .option("--private-address", "allow a private address as origin: a phone on the LAN, a mock")
    .option("--numbers <numbers>", "numbers to assign, separated by commas, or: all")
    .option("--reference <id>", "campaign or verification of the numbers at the provider")
    .option("--account <id>", "account that gets the numbers (default: the key's account)")
    .option("--no-webhook", "leave the webhook at the provider as it is")
    .option("--to <phone>", "your own phone, for a first message")
    .option("--body <text>", "text of the first message")
    .option("--reply", "wait for your reply, too");
  waitOption(command).action(async (type: string, options: AddOptions, command: Command) =>
    addCarrier(openSession(command), type, options),
  );
}

async function addCarrier(session: Session, type: string, options: AddOptions): Promise<void> {
  const { terminal, client, access } = session;
  if (access.operatorToken === undefined) throw new UsageError(access.whyNoToken);
  if (options.to !== undefined && !PHONE.test(options.to)) {
    throw new UsageError(`--to takes a phone such as +14155550100, not ${options.to}.`);
  }
  const preset = await presetOf(client, type);
  if (!terminal.isInteractive && options.numbers === undefined) {
    throw new UsageError("--numbers is missing: give --numbers all, or --numbers +1…,+1…");
  }
  const account = await accountOf(session, options.account);
  const added = await addEntry(session, preset, account, options);
  const to = options.to ?? (await phoneAsked(session));
  const tested =
    to === null ? {} : await firstMessage(session, account, { ...options, ...added, to });
  if (terminal.json) terminal.out(JSON.stringify({ ...added, ...tested }));
}

interface Added {
  readonly entry: CarrierEntry;
  readonly numbers: TakenNumbers["numbers"];
  readonly callbacks: CarrierCallbacks | null;
}

/** The entry, its numbers, and its webhook. */
async function addEntry(
  session: Session,
  preset: CarrierPreset,
  account: OperatorAccount,
  options: AddOptions,
): Promise<Added> {
  const { carriers } = session.client.operator;
  if (session.terminal.isInteractive) say(session, preset.before);
  const name = options.name ?? preset.type;
  const entry = await carriers.create({
    name,
    preset: preset.type,
    fields: await fieldsOf(session, preset, options.set),
    ...(options.baseUrl === undefined ? {} : { base_url: options.baseUrl }),
    ...(options.privateAddress ? { private_address: true } : {}),
  });
  say(session, `${name} is in ${entry.file}${preset.reads_numbers ? ", and its key works" : ""}.`);
  const { numbers } = await carriers.takeNumbers(name, {
    account_id: account.id,
    phone_numbers: await chosenNumbers(session, { name, account, preset }, options.numbers),
    ...(options.reference === undefined ? {} : { reference: options.reference }),
  });
  for (const { phone_number, is_new, sender_state } of numbers) {
    const how = is_new ? "taken over" : "held already";
    say(session, `${phone_number} is ${how} by ${account.name}: ${sender_state}`);
  }
  const callbacks = options.webhook ? await carriers.setCallbacks(name) : null;
  if (callbacks?.is_set) say(session, `The provider sends replies to ${callbacks.inbound}`);
  else if (callbacks?.next) await leftToDo(session, callbacks, callbacks.next);
  return { entry, numbers, callbacks };
}

async function firstMessage(
  session: Session,
  account: OperatorAccount,
  options: Omit<AddOptions, "numbers"> & Added & { readonly to: string },
): Promise<TestedCarrier> {
  const liveKey = await readyToSend(session, account);
  const live = { ...session, client: clientOf({ ...session.access, apiKey: liveKey }) };
  const from = options.numbers[0]?.phone_number as string;
  const { entry, to } = options;
  const tested = await testCarrier(live, entry.name, { ...options, from });
  say(session, `Next: longwave send ${to} "Hello" --from ${from} --key <the live key>`);
  return tested;
}

function say({ terminal }: Session, line: string): void {
  if (!terminal.json) terminal.out(line);
}

/** Says which step is left at the provider, and waits for the person to do it. */
async function leftToDo(
  { terminal }: Session,
  { inbound, receipts }: CarrierCallbacks,
  next: string,
): Promise<void> {
  if (terminal.json) return;
  terminal.out(`Left to do at the provider: ${next}`);
  if (inbound) terminal.out(`  Inbound URL:  ${inbound}`);
  if (receipts) terminal.out(`  Receipts URL: ${receipts}`);
  if (terminal.isInteractive) await ask("Press Enter when it is done. ");
}

async function phoneAsked({ terminal }: Session): Promise<string | null> {
  if (!terminal.isInteractive) return null;
  const phone = await ask("Your own phone, for a first message [none]: ");
  if (phone === "") return null;
  if (PHONE.test(phone)) return phone;
  throw new UsageError(`${phone} is not a phone number such as +14155550100.`);
}

/** A live key of the account, which then has live access and credit. */
async function readyToSend(session: Session, account: OperatorAccount): Promise<string> {
  const { terminal, client, access } = session;
  const { operator } = client;
  if (account.live_access !== "granted") {
    const question = `${account.name} has no live access. Grant it?`;
    if (terminal.isInteractive && !(await confirm(question))) {
      throw new CommandFailure("Without live access no message leaves.", EXIT.refused);
    }
    await operator.accounts.update(account.id, { live_access: "granted" });
    say(session, `${account.name} has live access now.`);
  }
  if (account.balance_usd < 1) {
    const note = "First credit, by longwave carriers add";
    await operator.credits.create(account.id, { amount_usd: FIRST_CREDIT_USD, note });
    say(session, `${account.name} has ${FIRST_CREDIT_USD} USD of credit more.`);
  }
  if (access.apiKey !== undefined) {
    const { id, key } = await client.account.get();
    if (id === account.id && key?.mode === "live") return access.apiKey;
  }
  const { key } = await operator.keys.create(account.id, { mode: "live", name: "First live key" });
  if (!key) throw new CommandFailure("The server created no key.", EXIT.unreachable);
  say(session, `Live key, shown only now: ${key}`);
  return key;
}
