import { DOUBLES } from "../../packages/server/src/network/carriers/doubles/index.ts";
import { PRESETS, type Preset } from "../../packages/server/src/network/carriers/presets/index.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

/** Every provider with a preset: three steps, fields, sources and open questions. */
export function providersPage(): Output[] {
  const text = [
    MARKDOWN_MARK.replace("packages/contract", "the presets in packages/server"),
    "# Providers",
    "`longwave carriers add telnyx` does all of the steps below: it asks for the fields, checks the key, writes the entry, takes numbers over as registered elsewhere, sets the webhook where the provider's API allows, sends a message to your phone, and with `--reply` waits for your answer. `longwave carriers add --help` lists the options for scripts. It needs the operator's token, and `LONGWAVE_PUBLIC_URL` unless the provider's lists can be polled. `longwave carriers test` repeats the message, and `longwave carriers remove` takes a carrier and its secrets out again.",
    "By hand, each provider here needs one short entry in the carriers file. Its preset, a declaration as in [carriers](carriers.md#http-carriers), holds the rest.",
    `An entry also takes \`name\`, \`numbers\`, \`priority\`, \`rate\`, \`window\`, \`answer_seconds\` and \`base_url\`, the origin of the provider's API: with it the preset calls a double or a proxy (\`private_address: true\` where that is inside). Every other field of an HTTP carrier in the entry replaces that of the preset. \`numbers\` should list the numbers that you hold at the provider.`,
    "Callbacks need `LONGWAVE_PUBLIC_URL`. `GET /operator/v1/carriers` shows both URLs of each carrier as `callback_urls`.",
    "`longwave mock telnyx` starts a double of Telnyx on your machine, and prints the entry, the variables and the `longwave carriers add` command for it. Each provider has one. `longwave mock --help` lists the phones that cause faults. The doubles serve in CI, too: `GET /_double/messages` lists what was accepted, and `POST /_double/inbound` sends a message from a phone.",
    ...[...PRESETS.values()].flatMap(sectionOf),
    "## Not supported",
    "GSM modems through gammu-smsd: gammu reports by rows of its tables `sentitems` and `inbox`, and sends by a row in `outbox`. A carrier that reads and writes tables is missing.",
    "SMSGate is added with the address, user and password that its app shows. The server calls the phone, so there is no code for the app to scan.",
  ].join("\n\n");
  return [{ path: "docs/providers.md", text: `${text}\n` }];
}

function sectionOf(preset: Preset): string[] {
  const { title, type, version, setup, options, sources, unconfirmed } = preset;
  const example = exampleOf(preset);
  const variables = Object.entries(example).flatMap(([name, value]) =>
    name.endsWith("_env") ? [`\`${String(value)}\``] : [],
  );
  const rows = Object.entries(options).map(([name, option]) => [
    `\`${name}\``,
    option.about,
    option.isRequired ? "required" : (option.default ?? "optional"),
  ]);
  return [
    `## ${title}`,
    `1. ${setup.credentials} Set the variables ${variables.join(", ")}.`,
    "2. Add the entry, run `main.js check-config`, and reload with SIGHUP or `longwave operator carriers reload`:",
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    `3. ${setup.callbacks}`,
    markdownTable(["Field", "Value", ""], rows),
    `Preset \`${type}\`, version ${version}. Sources: ${sources.map((one) => one.replaceAll("_", "\\_")).join(", ")}.`,
    ...(unconfirmed.length === 0 ? [] : [`Not confirmed by a source: ${unconfirmed.join("; ")}.`]),
  ];
}

/** The double's entry, which has every field that matters. */
function exampleOf({ type, baseUrl }: Preset): Record<string, unknown> {
  const entry = DOUBLES.get(type)?.().entry ?? {};
  return {
    name: type,
    ...entry,
    ...(baseUrl === null ? { base_url: "https://your-address.example" } : {}),
    numbers: ["+14155550100"],
  };
}
