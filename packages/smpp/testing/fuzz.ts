import assert from "node:assert/strict";
import {
  COMMANDS,
  type CommandName,
  decodePdu,
  encodePdu,
  Framer,
  readReceipt,
  receivedText,
  textParts,
  tlv,
} from "../src/index.ts";
import { seededRandom } from "./random.ts";

/** Well-formed PDUs of every kind, as seeds. */
export function samplePdus(): Buffer[] {
  const names = Object.keys(COMMANDS) as CommandName[];
  const plain = names.map((command) => encodePdu({ command, sequence: 7 }));
  const long = "Grüße € {und} 😀 ".repeat(20);
  const texts = (["udh", "sar", "payload"] as const).flatMap((longText) =>
    textParts(long, { alphabet: "gsm7", isPacked: false, longText, reference: 5 }),
  );
  const submits = texts.map((part) =>
    encodePdu({
      command: "submit_sm",
      sequence: 8,
      fields: { source_addr: "14155550100", destination_addr: "14155552671", ...part.fields },
      tlvs: [...part.tlvs, tlv("user_message_reference", 99)],
    }),
  );
  const receipt = encodePdu({
    command: "deliver_sm",
    sequence: 9,
    fields: {
      esm_class: 4,
      short_message: Buffer.from(
        "id:123 sub:001 dlvrd:001 submit date:2611160101 done date:2611160102 stat:DELIVRD err:000 text:stat:UNDELIV",
      ),
    },
    tlvs: [tlv("receipted_message_id", "123"), tlv("message_state", 2)],
  });
  const national = encodePdu({
    command: "deliver_sm",
    sequence: 10,
    fields: { esm_class: 0x40, short_message: Buffer.from([3, 0x25, 1, 1, 0x41, 0x42]) },
  });
  return [...plain, ...submits, receipt, national];
}

const INTERESTING = [0, 1, 4, 15, 16, 0x7f, 0x80, 0xff];

/** Flips octets, truncates, repeats, or changes the length. */
function mutate(pdu: Buffer, random: () => number): Buffer {
  const pick = (below: number) => Math.floor(random() * below);
  let broken: Buffer = Buffer.from(pdu);
  const changes = 1 + pick(4);
  for (let i = 0; i < changes; i++) {
    const kind = pick(6);
    const at = pick(broken.length);
    if (kind === 0) broken[at] = pick(256);
    else if (kind === 1) broken[at] = INTERESTING[pick(INTERESTING.length)] as number;
    else if (kind === 2) broken[at] = (broken[at] as number) ^ (1 << pick(8));
    else if (kind === 3) broken = broken.subarray(0, Math.max(16, at));
    else if (kind === 4) broken = Buffer.concat([broken, broken.subarray(at)]);
    else broken[16 + pick(Math.max(1, broken.length - 16))] = 0xff;
  }
  // Usually fix the length, so that the fuzzer reaches the body.
  if (random() < 0.9) broken.writeUInt32BE(broken.length, 0);
  return broken;
}

/** Decodes `count` broken PDUs in every way; returns how many were readable. */
export function fuzz(seed: number, count: number): { readable: number; lost: number } {
  const random = seededRandom(seed);
  const samples = samplePdus();
  let readable = 0;
  let lost = 0;
  let framer = new Framer();
  const take = (frame: Buffer) => {
    const pdu = decodePdu(frame);
    if (pdu.command === null) return;
    readable += 1;
    if (pdu.command === "deliver_sm" || pdu.command === "data_sm")
      readReceipt(pdu, { detectByText: true });
    if (pdu.command === "deliver_sm" || pdu.command === "submit_sm" || pdu.command === "data_sm") {
      receivedText(pdu, { alphabet: "gsm7", isPacked: readable % 2 === 0 });
    }
  };
  for (let i = 0; i < count; i++) {
    const sample = samples[Math.floor(random() * samples.length)] as Buffer;
    const broken = mutate(sample, random);
    const cut = Math.floor(random() * broken.length);
    const problem =
      framer.push(broken.subarray(0, cut), take) ?? framer.push(broken.subarray(cut), take);
    if (problem || random() < 0.05) {
      lost += problem ? 1 : 0;
      framer = new Framer();
    }
  }
  assert.ok(readable > count / 10, "most of what is broken can still be read");
  return { readable, lost };
}
