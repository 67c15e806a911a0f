import { parseArgs } from "node:util";
import type { Alphabet } from "../encoding.ts";
import { ID_SPELLINGS, SCRIPTED } from "./behaviour.ts";
import { Smsc, type SmscOptions } from "./smsc.ts";

const PORT_DEFAULT = 2775;
const HOST_DEFAULT = "127.0.0.1";
const ALPHABETS: readonly Alphabet[] = ["gsm7", "ascii", "latin1"];

export const SMSC_USAGE = `smsc [--port 2775] [--host 127.0.0.1] [--password secret] [--journal file] [--rate messages-a-second]

Starts a test SMSC that accepts every message, prints it and sends a receipt. Without --password it
accepts any password. A message that begins with "MO:" comes back from the phone.

  --ids ${ID_SPELLINGS.join("|")}
                             spelling of ids; hex_dec is hexadecimal in the response, decimal in the receipt
  --alphabet ${ALPHABETS.join("|")}
                             meaning of data_coding 0
  --packed                   GSM 7-bit is packed, eight septets in seven octets
  --no-transceiver           refuses bind_transceiver

Destinations that trigger faults:

${Object.entries(SCRIPTED)
  .map(([digits, { does }]) => `  +1 500 555 ${digits}  ${does}`)
  .join("\n")}
`;

/**
 * Starts the SMSC from command-line arguments. Throws an Error with a sentence when they are
 * invalid.
 */
export async function startSmscCommand(
  args: readonly string[],
  print: (line: string) => void,
): Promise<Smsc> {
  const options = optionsOf(args);
  const smsc = await Smsc.start({
    ...options,
    onSubmit: ({ systemId, pdu, text }, behaviour) => {
      const { source_addr: from, destination_addr: to } = pdu.fields;
      print(`${systemId}: ${from} → ${to} [${behaviour.answer}] ${JSON.stringify(text)}`);
    },
  });
  print(`The SMSC listens on ${options.host}:${smsc.port}.`);
  return smsc;
}

function optionsOf(args: readonly string[]): SmscOptions & { readonly host: string } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: String(PORT_DEFAULT) },
      host: { type: "string", default: HOST_DEFAULT },
      password: { type: "string" },
      journal: { type: "string" },
      rate: { type: "string" },
      ids: { type: "string", default: "decimal" },
      alphabet: { type: "string", default: "gsm7" },
      packed: { type: "boolean", default: false },
      "no-transceiver": { type: "boolean", default: false },
    },
  });
  return {
    port: wholeNumber("--port", values.port, 65_535),
    host: values.host,
    password: values.password ?? null,
    ratePerSecond: values.rate === undefined ? null : wholeNumber("--rate", values.rate, 100_000),
    idSpelling: oneOf("--ids", values.ids, ID_SPELLINGS),
    charset: {
      alphabet: oneOf("--alphabet", values.alphabet, ALPHABETS),
      isPacked: values.packed,
    },
    takesTransceivers: !values["no-transceiver"],
    ...(values.journal === undefined ? {} : { journal: { file: values.journal } }),
  };
}

function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new Error(`${name} takes ${words.join(", ")}.`);
  return word;
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > max) {
    throw new Error(`${name} takes a whole number from 0 to ${max}.`);
  }
  return number;
}
