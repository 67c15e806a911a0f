import { setTimeout as sleep } from "node:timers/promises";
import type { RouteAnswer, RouteInput } from "@longwave/contract";
import { Argument, type Command } from "commander";
import { ask, confirm } from "./ask.ts";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import { visible } from "./print.ts";
import { progressBar } from "./progress.ts";
import { openKeyedSession, type Session } from "./session.ts";

type AccountImport = RouteAnswer<"imports.get">["body"];
type ImportsCreateBody = RouteInput<"imports.create">["body"];

/** A call of the console, which takes a key with full access. */
const IMPORTS = "/console/v1/imports";
const PROVIDERS = ["twilio", "telnyx"] as const;
const SECRET_VARIABLES = { twilio: "TWILIO_AUTH_TOKEN", telnyx: "TELNYX_API_KEY" } as const;
const POLL_MS = 300;
/** Longer than the server's own limit for an import. */
const WATCH_MS_MAX = 20 * 60_000;
const NAMED_MAX = 20;

interface ImportOptions {
  readonly accountSid?: string;
  readonly keySid?: string;
  readonly preview?: boolean;
  readonly yes?: boolean;
}

type Provider = (typeof PROVIDERS)[number];

/** `longwave import twilio`: shows a preview, and imports after confirmation. */
export function addImport(program: Command): void {
  program
    .command("import")
    .summary("import numbers, pools and webhooks from another provider")
    .description(
      "Reads an account at another provider, previews the objects that the import would create here, and creates them after your confirmation. The secret is prompted for, or read from TWILIO_AUTH_TOKEN or TELNYX_API_KEY, and is never stored.",
    )
    .addArgument(new Argument("<provider>", "whose account it is").choices(PROVIDERS))
    .option("--account-sid <sid>", "Twilio: the account (AC…)")
    .option("--key-sid <sid>", "Twilio: an API key (SK…); the prompt then asks for its secret")
    .option("--preview", "preview the objects, and create none")
    .option("--yes", "skip the question after the preview")
    .action(async (provider: Provider, options: ImportOptions, command: Command) =>
      importAccount(openKeyedSession(command), provider, options),
    );
}

async function importAccount(
  session: Session,
  provider: Provider,
  options: ImportOptions,
): Promise<void> {
  const { terminal } = session;
  const { accountSid, keySid } = options;
  if (provider === "twilio" && accountSid === undefined) {
    throw new UsageError("Twilio needs --account-sid: it is on the first page of their console.");
  }
  const login: ImportsCreateBody = {
    provider,
    secret: await secretOf(session, provider),
    ...(accountSid === undefined ? {} : { account_sid: accountSid }),
    ...(keySid === undefined ? {} : { key_sid: keySid }),
  };
  const preview = await run(session, { ...login, dry_run: true }, "Reading");
  if (options.preview) return printResult(session, preview);
  if (!terminal.json) printResult(session, preview);
  const wanted = created(preview);
  if (wanted > 0 && options.yes !== true) {
    if (!terminal.isInteractive)
      throw new UsageError("Add --yes to create the objects, or --preview to list them.");
    if (!(await confirm(`Create ${wanted === 1 ? "it" : `all ${wanted}`}?`))) return;
  }
  printResult(session, await run(session, login, "Making"));
}

async function secretOf(session: Session, provider: Provider): Promise<string> {
  const variable = SECRET_VARIABLES[provider];
  const given = process.env[variable];
  if (given) return given;
  if (!session.terminal.isInteractive)
    throw new UsageError(`Set ${variable}: without a terminal there is no prompt.`);
  return ask(`${provider === "twilio" ? "Auth token" : "API key"}: `, { secret: true });
}

/** Starts an import and watches it to its end. */
async function run(
  { client, terminal }: Session,
  body: ImportsCreateBody,
  label: string,
): Promise<AccountImport> {
  let seen = await client.request<AccountImport>("POST", IMPORTS, { body });
  let bar = progressBar(terminal, label, 0);
  let total: number | null = null;
  for (let waited = 0; seen.status === "running" && waited < WATCH_MS_MAX; waited += POLL_MS) {
    await sleep(POLL_MS);
    seen = await client.request<AccountImport>("GET", `${IMPORTS}/${seen.id}`);
    if (seen.progress.total !== total) {
      total = seen.progress.total;
      bar = progressBar(terminal, label, total ?? 0);
    }
    bar.at(seen.progress.done);
  }
  bar.end();
  if (seen.status === "running")
    throw new CommandFailure(
      `${seen.id} still runs: longwave imports get ${seen.id}`,
      EXIT.unreachable,
    );
  if (seen.error) throw new CommandFailure(seen.error.message, EXIT.refused);
  return seen;
}

const created = ({ numbers, pools, webhooks }: AccountImport): number =>
  [...numbers, ...pools, ...webhooks].filter(({ action }) => action === "create").length;

type Item = { readonly action: string; readonly reason: string | null };

function printResult({ terminal }: Session, done: AccountImport): void {
  if (terminal.json) {
    terminal.out(JSON.stringify(done));
    return;
  }
  const word = done.dry_run ? "would be made" : "made";
  const kinds: [string, readonly (Item & { name: string })[]][] = [
    ["Port requests", done.numbers.map((one) => ({ ...one, name: one.phone_number }))],
    ["Pools", done.pools.map((one) => ({ ...one, name: one.name }))],
    ["Webhook endpoints", done.webhooks.map((one) => ({ ...one, name: one.url }))],
  ];
  for (const [kind, items] of kinds) {
    const count = (action: string) => items.filter((item) => item.action === action).length;
    const counts = `${count("create")} ${word}, ${count("exists")} here already, ${count("skip")} skipped`;
    terminal.out(`${kind}: ${counts}`);
    const skipped = items.filter((item) => item.action === "skip");
    for (const item of skipped.slice(0, NAMED_MAX)) {
      terminal.out(`  skipped ${visible(item.name)}: ${item.reason}`);
    }
    if (skipped.length > NAMED_MAX) terminal.out(`  and ${skipped.length - NAMED_MAX} more`);
  }
  if (done.dry_run && done.numbers.some(({ action }) => action === "create")) {
    const add = `longwave carriers add ${done.provider}`;
    terminal.out(`Numbers can stay with the provider: ${add} takes them over without a port.`);
  }
  for (const sentence of done.not_copied) terminal.out(sentence);
}
