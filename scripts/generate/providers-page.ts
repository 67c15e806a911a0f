import { DOUBLES } from "../../packages/server/src/network/carriers/doubles/index.ts";
import { PRESETS, type Preset } from "../../packages/server/src/network/carriers/presets/index.ts";
import {
  readsNumbers,
  setsCallbacks,
} from "../../packages/server/src/surfaces/importer/account-apis/index.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

const MARK = MARKDOWN_MARK.replace("packages/contract", "the presets in packages/server");

/** Remarks of single providers, below their steps. */
const REMARKS: Readonly<Record<string, string>> = {
  smsgate:
    "SMSGate is added with the address, user and password that its app shows. They are typed: no source names a code that the app scans. The app calls webhooks at https addresses with a trusted certificate only. A server that the phone cannot call so takes `local=true` and the address of the app's own server (Local Server, `http://192.168.1.20:8080` and `--private-address`): it reads receipts and replies there every few seconds. A cloud or private server of SMSGate lists receipts only, because its inbox answers 501; replies then need the webhook.",
};

/** A page for each provider with a preset, and the page that leads to them. */
export function providersPages(): Output[] {
  const presets = [...PRESETS.values()];
  return [
    { path: "docs/providers.md", text: `${overview(presets)}\n` },
    ...presets.map((preset) => ({
      path: `docs/carriers/${preset.type}.md`,
      text: `${pageOf(preset)}\n`,
    })),
  ];
}

function overview(presets: readonly Preset[]): string {
  const rows = presets.map((preset) => [
    `[${preset.title}](carriers/${preset.type}.md)`,
    `\`${preset.type}\``,
    readsNumbers(preset.type) ? "yes" : "by hand",
    setsCallbacks(preset.type) ? "yes" : "by hand",
    canPoll(preset) ? `yes${repliesNeed(preset, ", with ")}` : "no",
  ]);
  return [
    MARK,
    "# Providers",
    "A provider here needs one command, or one short entry in the carriers file. Its preset, a declaration as in [carriers](carriers.md#http-carriers), holds the rest. Each provider has a page with its three steps.",
    markdownTable(
      [
        "Provider",
        "`type`",
        "Lists your numbers",
        "Webhook set by API",
        "Works without a public address",
      ],
      rows,
    ),
    "## Common to all",
    "`longwave carriers add telnyx` does all of the steps of a page: it asks for the fields, checks the key (with Infobip, the first message does), writes the entry, takes numbers over as registered elsewhere, sets the webhook where the provider's API allows, sends a message to your phone, and with `--reply` waits for your answer. `longwave carriers add --help` lists the options for scripts. It needs the operator's token, and `LONGWAVE_PUBLIC_URL` unless the provider's lists can be polled. `longwave carriers test` repeats the message, and `longwave carriers remove` takes a carrier and its secrets out again.",
    `By hand, an entry also takes \`name\`, \`numbers\`, \`priority\`, \`rate\`, \`number_rate\`, \`window\`, \`answer_seconds\` and \`base_url\`, the origin of the provider's API: with it the preset calls a double or a proxy (\`private_address: true\` where that is inside). Every other field of an HTTP carrier in the entry replaces that of the preset. \`numbers\` should list the numbers that you hold at the provider.`,
    "Callbacks need `LONGWAVE_PUBLIC_URL`. `GET /operator/v1/carriers` shows both URLs of each carrier as `callback_urls`. With `poll_seconds` in the entry the server reads the provider's lists instead.",
    "`longwave mock telnyx` starts a double of Telnyx on your machine, and prints the entry, the variables and the `longwave carriers add` command for it. Each provider has one. `longwave mock --help` lists the phones that cause faults. [Doubles](doubles.md) says how they serve in CI.",
    "## Not supported",
    "GSM modems through gammu-smsd: the daemon takes messages as rows of its table `outbox`, sends a row again when it dies after the send, and has no HTTP interface ([decision 33](decisions/0033-gsm-modems.md)). An Android phone with SMSGate, textbee or httpSMS takes the modem's place.",
  ].join("\n\n");
}

function canPoll({ options }: Preset): boolean {
  return "poll_seconds" in options;
}

/** Flag that the list of replies needs, after a word; nothing where it needs none. */
function repliesNeed({ entry }: Preset, before: string): string {
  const poll = entry["poll?poll_seconds"];
  const inbound = Object.keys(poll ?? {}).find((name) => name.startsWith("inbound?"));
  return inbound === undefined ? "" : `${before}\`"${inbound.slice("inbound?".length)}": true\``;
}

function pageOf(preset: Preset): string {
  const { title, type, version, setup, options, sources, unconfirmed } = preset;
  const example = exampleOf(preset);
  const rows = Object.entries(options).map(([name, option]) => [
    `\`${name}\``,
    option.about,
    option.isRequired ? "required" : (option.default ?? "optional"),
  ]);
  const remark = REMARKS[type];
  return [
    MARK,
    `# ${title}`,
    `1. ${setup.credentials}`,
    "2. On the server's machine, with the operator's token, and your own phone in place of the number:",
    `\`\`\`sh\n${commandOf(preset)}\n\`\`\``,
    `3. ${lastStep(preset)}`,
    ...(remark === undefined ? [] : [remark]),
    "[Providers](../providers.md) says what the command does, and [carriers](../carriers.md) how carriers work.",
    "## By hand",
    `Set ${variablesOf(example)
      .map((variable) => `\`${variable}\``)
      .join(
        " and ",
      )} in the environment, add the entry to the carriers file, run \`main.js check-config\`, and reload with SIGHUP or \`longwave operator carriers reload\`:`,
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    setup.callbacks,
    ...(canPoll(preset)
      ? [
          `With \`"poll_seconds": 30\`${repliesNeed(preset, " and ")} the server reads the provider's lists, and needs no callbacks.`,
        ]
      : []),
    markdownTable(["Field", "Value", ""], rows),
    "## Facts",
    `Preset \`${type}\`, version ${version}. Sources: ${sources.map((one) => one.replaceAll("_", "\\_")).join(", ")}.`,
    ...(unconfirmed.length === 0 ? [] : [`Not confirmed by a source: ${unconfirmed.join("; ")}.`]),
  ].join("\n\n");
}

/** Step that the command leaves to do, and the reply that proves the setup. */
function lastStep(preset: Preset): string {
  const { setup, type } = preset;
  const reply = "Answer the message on your phone: the command prints your reply.";
  if (setsCallbacks(type)) {
    return `Nothing is left to do at the provider: the command sets the webhook. ${reply}`;
  }
  const polls = canPoll(preset)
    ? ` Without \`LONGWAVE_PUBLIC_URL\`${repliesNeed(preset, ", but with ")} the server polls, and nothing is left.`
    : "";
  return `The command prints the URLs and waits. ${setup.callbacks}${polls} ${reply}`;
}

/** Secrets are asked for, or come from variables; other fields are options. */
function commandOf(preset: Preset): string {
  const { type, baseUrl, options } = preset;
  const plain = Object.entries(options).flatMap(([name, { isRequired }]) =>
    isRequired && !name.endsWith("_env") ? [`--set ${name}=…`] : [],
  );
  const address = baseUrl === null ? ["--base-url https://your-address.example"] : [];
  const numbers = readsNumbers(type) ? "--numbers all" : "--numbers +14155550100";
  const given = [...plain, ...address, numbers, "--to +14155552671", "--reply"];
  return [
    ...variablesOf(exampleOf(preset)).map((variable) => `export ${variable}=…`),
    `longwave carriers add ${type} ${given.join(" ")}`,
  ].join("\n");
}

function variablesOf(example: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(example).flatMap(([name, value]) =>
    name.endsWith("_env") ? [String(value)] : [],
  );
}

/** The double's entry, which has every field that matters. Its variables are those of `carriers add`. */
function exampleOf({ type, baseUrl }: Preset): Record<string, unknown> {
  const entry = DOUBLES.get(type)?.().entry ?? {};
  return {
    name: type,
    ...entry,
    ...(baseUrl === null ? { base_url: "https://your-address.example" } : {}),
    numbers: ["+14155550100"],
  };
}
