import { parseArgs } from "node:util";
import type { Clock } from "../../../core/platform/clock.ts";
import type { Random } from "../../../core/platform/random.ts";
import type { ProviderDouble } from "./double.ts";
import { DOUBLES, DoubleServer } from "./index.ts";
import { SCRIPTS } from "./script.ts";
import type { MadeCall } from "./server.ts";

const PORT_DEFAULT = 4010;
const HOST_DEFAULT = "127.0.0.1";

export const MOCK_USAGE = `mock PROVIDER [--port ${PORT_DEFAULT}] [--host ${HOST_DEFAULT}] [--inbound-url URL] [--receipts-url URL] [--rate messages-a-second]

Starts a double of a provider's API on this machine. It accepts every message, prints it and brings a
receipt, in the provider's formats and with its signature. A message that begins with "MO:" comes back
from the phone.

Providers: ${[...DOUBLES.keys()].join(", ")}

  --inbound-url URL      messages from phones go there, as GET /operator/v1/carriers shows it
  --receipts-url URL     receipts go there where the provider's requests name no URL
  --callback-origin URL  origin to call in place of that of the URLs, which stay the signed ones
  --rate N               throttles above so many messages a second

Requests for tests: GET /_double/messages lists what was accepted, and POST /_double/inbound with
{"from", "to", "body"} sends a message from a phone.

Phones that end in these digits cause faults:

${[...SCRIPTS].map(([digits, { does }]) => `  ${digits}  ${does}`).join("\n")}
`;

/** Starts a double from command-line arguments. Throws an Error with a sentence when they are invalid. */
export async function startMockCommand(
  args: readonly string[],
  deps: { readonly clock: Clock; readonly random: Random },
  print: (line: string) => void,
): Promise<DoubleServer> {
  const { positionals, values } = parse(args);
  const [name = "", ...more] = positionals;
  const provider = DOUBLES.get(name)?.();
  if (!provider || more.length > 0) {
    throw new Error(`takes one provider of ${[...DOUBLES.keys()].join(", ")}`);
  }
  const options = {
    port: wholeNumber("--port", values.port, 65_535),
    host: values.host,
    inboundUrl: urlOrNull("--inbound-url", values["inbound-url"]),
    receiptsUrl: urlOrNull("--receipts-url", values["receipts-url"]),
    callbackOrigin: urlOrNull("--callback-origin", values["callback-origin"]),
    ratePerSecond: values.rate === undefined ? null : wholeNumber("--rate", values.rate, 100_000),
    sendsReceipts: true,
    onMessage: ({ from, to, body }: { from: string; to: string; body: string }) =>
      print(`${from} → ${to} ${JSON.stringify(body)}`),
    onCallback: ({ url, answer, isTaken }: MadeCall) =>
      print(`${answer?.status ?? "no answer"} from ${url}${isTaken ? "" : ": not taken"}`),
  };
  const double = await DoubleServer.start(provider, options, deps);
  const entry = { name, ...provider.entry, base_url: double.url, private_address: true };
  print(`The double of ${provider.title} listens on ${double.url}. Entry of the carriers file:`);
  print(JSON.stringify(entry));
  for (const [variable, value] of Object.entries(provider.env)) {
    print(`export ${variable}='${value}'`);
  }
  print("To add it to a running server (+14155552671 stands for your own phone):");
  print(addCommand(provider, double.url));
  return double;
}

/** `longwave carriers add` with the fields of the double. */
function addCommand({ name, entry, env }: ProviderDouble, url: string): string {
  const fields = Object.entries(entry).filter(([field]) => field !== "type");
  const secrets = Object.entries(env).map(([variable, value]) => `${variable}='${value}'`);
  const plain = fields.flatMap(([field, value]) =>
    field.endsWith("_env") ? [] : ["--set", `${field}=${value}`],
  );
  const options = [...plain, "--base-url", url, "--private-address", "--to", "+14155552671"];
  return [...secrets, "longwave carriers add", name, ...options].join(" ");
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: "string", default: String(PORT_DEFAULT) },
      host: { type: "string", default: HOST_DEFAULT },
      rate: { type: "string" },
      "inbound-url": { type: "string" },
      "receipts-url": { type: "string" },
      "callback-origin": { type: "string" },
    },
  });
}

function urlOrNull(name: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error(`${name} takes a URL`);
  return text;
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number <= max) return number;
  throw new Error(`${name} takes a whole number up to ${max}`);
}
