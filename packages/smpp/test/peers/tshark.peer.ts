/** tshark dissects every PDU of ours without finding a malformed one. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { encodePdu, textParts, tlv } from "../../src/index.ts";
import { samplePdus } from "../../testing/fuzz.ts";
import { seededRandom } from "../../testing/random.ts";

const SMPP_PORT = 2775;
const PDUS = 10_000;
const SEED = 27;
/** GSM 7-bit, its extension, UCS-2, and surrogate pairs. */
const ALPHABETS = ["abc XYZ 019 @£é", "{}[]~|€^", "漢字ł“", "😀👩🏽"].map((text) => [...text]);
const WAYS = ["udh", "sar", "payload"] as const;

/** Messages of one to about ten parts, in every alphabet and every long-message mode. */
function submits(count: number): Buffer[] {
  const random = seededRandom(SEED);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const pdus: Buffer[] = [];
  while (pdus.length < count) {
    const characters = ALPHABETS.slice(0, 1 + Math.floor(random() * ALPHABETS.length)).flat();
    const length = 1 + Math.floor(random() ** 3 * 700);
    const text = Array.from({ length }, () => pick(characters)).join("");
    const reference = pdus.length & 0xff;
    const how = { alphabet: "gsm7", isPacked: false, longText: pick(WAYS), reference } as const;
    for (const part of textParts(text, how)) {
      const fields = { source_addr: "14155550100", destination_addr: "14155552671" };
      const tlvs = [tlv("user_message_reference", reference), ...part.tlvs];
      const sequence = pdus.length + 1;
      pdus.push(
        encodePdu({ command: "submit_sm", sequence, fields: { ...fields, ...part.fields }, tlvs }),
      );
    }
  }
  return pdus;
}

/** Hex dump of one PDU for text2pcap. */
function hexDump(pdu: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < pdu.length; at += 16) {
    const octets = pdu
      .subarray(at, at + 16)
      .toString("hex")
      .replaceAll(/(..)/g, " $1");
    lines.push(`${at.toString(16).padStart(6, "0")}${octets}`);
  }
  return lines.join("\n");
}

test("tshark finds none of our 10,000 PDUs malformed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tshark-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const pdus = [...samplePdus(), ...submits(PDUS)];
  const dump = join(folder, "pdus.txt");
  const capture = join(folder, "pdus.pcap");
  await writeFile(dump, `${pdus.map(hexDump).join("\n\n")}\n`);
  execFileSync("text2pcap", ["-q", "-T", `40000,${SMPP_PORT}`, dump, capture]);
  const read = async (filter: string) => {
    const args = [
      "-r",
      capture,
      "-d",
      `tcp.port==${SMPP_PORT},smpp`,
      "-Y",
      filter,
      "-T",
      "fields",
      "-e",
      "smpp.command_id",
    ];
    const { stdout } = await promisify(execFile)("tshark", args, { maxBuffer: 16 * 1024 * 1024 });
    return stdout.split("\n").filter((line) => line !== "");
  };
  assert.equal((await read("smpp")).length, pdus.length);
  assert.deepEqual(await read("_ws.malformed"), []);
});
