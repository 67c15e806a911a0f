import type { CarrierPreset, Longwave, OperatorAccount, ProviderNumber } from "@longwave/sdk";
import { ask } from "./ask.ts";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** Preset of a provider that can call the server, or be polled by it. */
export async function presetOf(client: Longwave, type: string): Promise<CarrierPreset> {
  const { presets, public_url } = await client.operator.carriers.presets();
  const preset = presets.find((one) => one.type === type);
  if (!preset) {
    const known = presets.map((one) => one.type).join(", ");
    throw new UsageError(`There is no preset ${type}. There are: ${known}.`);
  }
  if (public_url !== null || preset.can_poll) return preset;
  throw new UsageError(
    `${preset.title} must be able to call the server: set LONGWAVE_PUBLIC_URL to its public address, and restart it. Its lists cannot be read instead.`,
  );
}

/** The account that a key belongs to, or the only one of the installation. */
export async function accountOf(
  { client, access }: Session,
  given: string | undefined,
): Promise<OperatorAccount> {
  if (given !== undefined) return client.operator.accounts.get(given);
  if (access.apiKey !== undefined) {
    const { id } = await client.account.get();
    return client.operator.accounts.get(id);
  }
  const { data } = await client.operator.accounts.list({ limit: 2 });
  const [only, ...others] = data;
  if (only && others.length === 0) return only;
  throw new UsageError("Whose numbers are they? Name the account with --account acct_….");
}

/** Field that the server fills in where it has no public address. */
const SERVER_CHOOSES = "poll_seconds";

/** Fields from the command line, from variables, or from the person. */
export async function fieldsOf(
  { terminal }: Session,
  preset: CarrierPreset,
  given: readonly string[],
): Promise<Record<string, string>> {
  const values = givenFields(preset, given);
  for (const field of preset.fields) {
    const { name, variable } = field;
    const known = values[name] ?? (variable ? process.env[variable] : undefined);
    const isAsked = terminal.isInteractive && name !== SERVER_CHOOSES;
    const value = known || (isAsked ? await askField(field) : "");
    if (value !== "") values[name] = value;
    else if (field.is_required) throw missingField(field);
  }
  return values;
}

type Field = CarrierPreset["fields"][number];

function askField({ about, is_required, is_secret, default: usual }: Field): Promise<string> {
  const hint = is_required ? "" : ` [${usual ?? "none"}]`;
  return ask(`${about}${hint}: `, { secret: is_secret });
}

function missingField({ name, about, variable }: Field): UsageError {
  const how = variable === null ? `give --set ${name}=…` : `set ${variable}`;
  return new UsageError(`${about} is missing: ${how}.`);
}

/** Fields of `--set field=value`. */
function givenFields(
  { type, fields }: CarrierPreset,
  given: readonly string[],
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const pair of given) {
    const at = pair.indexOf("=");
    const field = pair.slice(0, Math.max(at, 0));
    if (!fields.some(({ name }) => name === field)) {
      const known = fields.map(({ name }) => name).join(", ");
      throw new UsageError(`--set takes field=value, and ${type} has the fields ${known}.`);
    }
    values[field] = pair.slice(at + 1);
  }
  return values;
}

/** Numbers to take over: named, all that the provider holds, or chosen by the person. */
export async function chosenNumbers(
  { terminal, client }: Session,
  { name, account, preset }: { name: string; account: OperatorAccount; preset: CarrierPreset },
  given: string | undefined,
): Promise<string[]> {
  if (given !== undefined && given !== "all") return listIn(given);
  const { readable, numbers } = await client.operator.carriers.numbers(name);
  if (!readable) return namedByPerson(terminal, preset);
  const isUsable = (one: ProviderNumber) => one.can_be_taken || one.account_id === account.id;
  const usable = numbers.filter(isUsable).map(({ phone_number }) => phone_number);
  if (!terminal.json) {
    for (const one of numbers) {
      terminal.out(`  ${one.phone_number}  ${isUsable(one) ? "" : (one.reason ?? "")}`.trimEnd());
    }
  }
  if (usable.length === 0) {
    throw new CommandFailure(`${preset.title} has no number to take over.`, EXIT.refused);
  }
  const answer = given ?? (await ask("Which of them? [all] "));
  return answer === "" || answer === "all" ? usable : listIn(answer);
}

async function namedByPerson(terminal: Terminal, { title }: CarrierPreset): Promise<string[]> {
  if (terminal.isInteractive) return listIn(await ask(`Numbers that you hold at ${title}: `));
  throw new UsageError(`${title} lists no numbers here: name them with --numbers +1….`);
}

function listIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((one) => one !== "");
}
