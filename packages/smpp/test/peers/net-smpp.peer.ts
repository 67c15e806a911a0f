/** Our client against an SMSC whose codec is Debian's Net::SMPP. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import {
  canonicalId,
  type Delivery,
  type DeliveryReceipt,
  readReceipt,
  receiptIds,
  receivedText,
  SmppClient,
  textParts,
  tlv,
} from "../../src/index.ts";
import { until } from "../../testing/until.ts";

const GSM7 = { alphabet: "gsm7", isPacked: false } as const;
const SCRIPT = fileURLToPath(new URL("./net-smpp.pl", import.meta.url));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startPerl(t: TestContext): Promise<{ port: number; lines: string[] }> {
  const port = await freePort();
  const child: ChildProcess = spawn("perl", [SCRIPT, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  assert.ok(child.stdout);
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await until("the Perl SMSC listens", () => lines.includes("listening"));
  return { port, lines };
}

test("Net::SMPP accepts our PDUs, and we accept its PDUs", async (t) => {
  const { port, lines } = await startPerl(t);
  const receipts: DeliveryReceipt[] = [];
  const texts: Delivery[] = [];
  const client = new SmppClient({
    hosts: [{ host: "127.0.0.1", port }],
    systemId: "us",
    password: "secret",
    onDelivery: async (pdu) => {
      const receipt = readReceipt(pdu);
      if (receipt) receipts.push(receipt);
      else texts.push(pdu);
      return 0;
    },
  });
  t.after(() => client.stop());
  client.start();
  await until("the link is up", () => client.state().state === "up");

  const send = async (text: string, to = "14155552671") => {
    const outcomes = [];
    for (const part of textParts(text, { ...GSM7, longText: "udh", reference: 7 })) {
      const fields = {
        source_addr: "14155550100",
        destination_addr: to,
        registered_delivery: 1,
        ...part.fields,
      };
      outcomes.push(await client.submit(fields, [tlv("user_message_reference", 9)]));
    }
    return outcomes.map((outcome) => {
      assert.equal(outcome.kind, "answered");
      return outcome.kind === "answered" ? outcome : null;
    });
  };
  const receiptOf = async (text: string) => {
    receipts.length = 0;
    const [answer] = await send(text);
    await until(`the receipt of ${text}`, () => receipts.length === 1);
    return { answer, receipt: receipts[0] as DeliveryReceipt };
  };

  const plain = await receiptOf("Hello {€} @£");
  assert.equal(plain.receipt.tlvId, plain.answer?.messageId);
  assert.equal(plain.receipt.state, "DELIVRD");
  assert.match(lines.at(-1) ?? "", /^submit 14155552671 0 0 48656c6c6f201b281b651b29200001$/);
  const failed = await receiptOf("Hello !undeliv");
  assert.deepEqual([failed.receipt.state, failed.receipt.error], ["UNDELIV", "005"]);
  const early = await receiptOf("Hello !early");
  assert.equal(early.receipt.tlvId, early.answer?.messageId);
  const hex = await receiptOf("Hello !hex");
  const id = canonicalId(hex.answer?.messageId ?? "", "hex_dec", "response");
  assert.equal(receiptIds(hex.receipt, "hex_dec")[0], id);
  const [throttled] = await send("Hello !throttle");
  assert.equal(throttled?.status, 0x58);

  // This destination makes the peer return the octets of each part.
  const long = `Grüße {€} ${"漢字😀".repeat(60)}`;
  const parts = await send(long, "14155550099");
  await until("the text came back", () => texts.length === parts.length);
  const read = texts.map((pdu) => receivedText(pdu, GSM7)).filter((text) => text.kind === "text");
  assert.deepEqual(
    read.map((text) => text.part?.number),
    [1, 2, 3, 4],
  );
  assert.equal(read.map((text) => text.text).join(""), long);
});
