import {
  DOUBLES,
  type ProviderDouble,
} from "../../packages/server/src/network/carriers/doubles/index.ts";
import { SCRIPTS } from "../../packages/server/src/network/carriers/doubles/script.ts";
import { MARKDOWN_MARK, markdownTable, type Output } from "./output.ts";

const MARK = MARKDOWN_MARK.replace("packages/contract", "the doubles in packages/server");

const START = `longwave mock telnyx --port 4010 \\
  --inbound-url http://127.0.0.1:3000/sms/inbound \\
  --receipts-url http://127.0.0.1:3000/sms/receipts`;

const JOB = `jobs:
  sms:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci
      - run: npm install --global ./vendor/longwave-0.1.0.tgz
      - name: Start the double
        run: |
          longwave mock telnyx --port 4010 --inbound-url http://127.0.0.1:3000/sms/inbound &
          curl --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:4010/_double/messages
      - run: npm test
        env:
          TELNYX_BASE_URL: http://127.0.0.1:4010
          TELNYX_API_KEY: ${keyOf("telnyx")}
      - if: always()
        run: curl http://127.0.0.1:4010/_double/callbacks`;

const CONTROLS = [
  [
    "`GET /_double/messages`",
    "Accepted messages, oldest first: `from`, `to`, `body`, `ids`, `reference`",
  ],
  [
    "`GET /_double/callbacks`",
    "Callbacks so far: `url`, `kind`, the `answer` of your server, and as `isTaken` whether the provider is content with it",
  ],
  [
    "`POST /_double/inbound`",
    'Sends a message from a phone: `{"from": "+14155552671", "to": "+14155550100", "body": "Yes"}`',
  ],
];

/** Page about the doubles, for tests of any program that sends through one of these providers. */
export function doublesPage(): Output {
  const all = [...DOUBLES.values()].map((make) => make());
  const text = [
    MARK,
    "# Doubles of providers",
    "`longwave mock NAME` starts a double of a provider's API on your machine or in CI. It accepts messages, and brings receipts and replies in the provider's formats and with its signature. No account is needed and no message leaves. Any program that sends through one of these providers can be tested with it, with Longwave or without. The doubles are written from the providers' documentation; the page of each provider lists what no source confirms.",
    "## Start",
    "Install the command line as in [use it from another project](guides/another-project.md), then:",
    `\`\`\`sh\n${START}\n\`\`\``,
    "The double prints its address and credentials. Point your program at the address. `longwave mock --help` lists the options: `--rate 5` throttles above five messages a second, and `--callback-origin` calls another address than the signed URL has.",
    "## Providers",
    markdownTable(["Name", "Provider", "Credentials"], all.map(rowOf)),
    "## Phones that cause faults",
    "The last four digits of the phone decide what happens, with each provider's own codes. Every other phone gets its message. A message whose body begins with `MO:` comes back as a reply: `MO:Yes` answers `Yes`.",
    markdownTable(
      ["Phone ends in", "Effect"],
      [...SCRIPTS].map(([digits, { does }]) => [`\`${digits}\``, does]),
    ),
    "## Callbacks",
    "A double checks the answer to its callback as the provider does. Twilio wants an empty body, TwiML or text as the answer to a message. SignalWire wants XML. 46elks texts the body of the answer back to the person, which `/_double/messages` then shows. Telnyx waits two seconds, Bandwidth ten, others fifteen. An answer that is not taken is repeated after one and after five seconds, except by Twilio and SignalWire.",
    "## Control calls",
    markdownTable(["Call", "Effect"], CONTROLS),
    "## In a workflow",
    "A job that keeps the packed command line in `vendor/`:",
    `\`\`\`yaml\n${JOB}\n\`\`\``,
  ].join("\n\n");
  return { path: "docs/doubles.md", text: `${text}\n` };
}

function rowOf({ name, title, entry, env }: ProviderDouble): string[] {
  const plain = Object.entries(entry).filter(
    ([field]) => field !== "type" && !field.endsWith("_env"),
  );
  const values = [...plain, ...Object.entries(env)].map(
    ([field, value]) => `\`${field}=${value}\``,
  );
  return [`\`${name}\``, `[${title}](carriers/${name}.md)`, values.join(", ")];
}

function keyOf(name: string): string {
  return Object.values(DOUBLES.get(name)?.().env ?? {})[0] ?? "";
}
