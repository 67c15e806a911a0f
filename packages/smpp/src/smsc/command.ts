import { parseArgs } from "node:util";
import { SCRIPTED } from "./behaviour.ts";
import { Smsc } from "./smsc.ts";

const PORT_DEFAULT = 2775;

export const SMSC_USAGE = `smsc [--port 2775] [--host 127.0.0.1] [--password secret] [--journal file] [--rate messages-a-second]

Starts a message centre to try things out with: it takes every message, prints it and sends a
receipt. Without --password it takes any. A text that begins with "MO:" comes back from the phone.
Phones that make it misbehave:

${Object.entries(SCRIPTED)
  .map(([digits, { does }]) => `  +1 500 555 ${digits}  ${does}`)
  .join("\n")}
`;

/** Starts it as the command line says. Throws an Error with a sentence when that makes no sense. */
export async function startSmscCommand(
  args: readonly string[],
  print: (line: string) => void,
): Promise<Smsc> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: String(PORT_DEFAULT) },
      host: { type: "string", default: "127.0.0.1" },
      password: { type: "string" },
      journal: { type: "string" },
      rate: { type: "string" },
    },
  });
  const port = wholeNumber("--port", values.port, 65_535);
  const rate = values.rate === undefined ? null : wholeNumber("--rate", values.rate, 100_000);
  const smsc = await Smsc.start({
    port,
    host: values.host,
    password: values.password ?? null,
    ratePerSecond: rate,
    ...(values.journal === undefined ? {} : { journal: { file: values.journal } }),
    onSubmit: ({ systemId, pdu, text }, behaviour) => {
      const { source_addr: from, destination_addr: to } = pdu.fields;
      print(`${systemId}: ${from} → ${to} [${behaviour.answer}] ${JSON.stringify(text)}`);
    },
  });
  print(`The SMSC listens on ${values.host}:${smsc.port}.`);
  return smsc;
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > max) {
    throw new Error(`${name} takes a whole number from 0 to ${max}.`);
  }
  return number;
}
