/** tshark reads every PDU that we write, and finds none of them malformed. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { samplePdus } from "../../testing/fuzz.ts";

const SMPP_PORT = 2775;

/** One PDU as text2pcap reads it. */
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

test("no PDU of ours is malformed to tshark", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tshark-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const pdus = samplePdus();
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
    const { stdout } = await promisify(execFile)("tshark", args);
    return stdout.split("\n").filter((line) => line !== "");
  };
  assert.equal((await read("smpp")).length, pdus.length);
  assert.deepEqual(await read("_ws.malformed"), []);
});
