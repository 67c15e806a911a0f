/** Interoperability with the independent npm library `smpp`, as the SMSC and as the client. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  type Delivery,
  type DeliveryReceipt,
  readReceipt,
  receivedText,
  SmppClient,
  textParts,
  tlv,
} from "../src/index.ts";
import { Smsc } from "../src/smsc/index.ts";
import { type NpmPdu, type NpmSession, npmSmpp } from "../testing/npm-smpp.ts";
import { until } from "../testing/until.ts";

const LONG = `Grüße {€} ${"漢字😀".repeat(60)}`;
const GSM7 = { alphabet: "gsm7", isPacked: false } as const;

/** Decodes the octets behind the header as UCS-2. */
function ucs2(octets: Buffer, headerOctets: number): string {
  return Buffer.from(octets.subarray(headerOctets)).swap16().toString("utf16le");
}

test("our client at their SMSC: bind, submit, receipt, inbound, long text", async (t) => {
  const submits: NpmPdu[] = [];
  const sessions: NpmSession[] = [];
  const server = npmSmpp.createServer((session) => {
    sessions.push(session);
    session.on("bind_transceiver", (pdu) => {
      const isRight = pdu["password"] === "secret";
      session.send(pdu.response({ command_status: isRight ? 0 : 0x0e, system_id: "theirs" }));
    });
    session.on("submit_sm", (pdu) => {
      submits.push(pdu);
      session.send(pdu.response({ message_id: `id-${submits.length}` }));
      session.deliver_sm(
        {
          source_addr: pdu["destination_addr"],
          destination_addr: pdu["source_addr"],
          esm_class: 4,
          short_message: Buffer.from(`id:id-${submits.length} stat:DELIVRD err:000`),
          receipted_message_id: `id-${submits.length}`,
          message_state: 2,
        },
        () => {},
      );
    });
    session.on("enquire_link", (pdu) => session.send(pdu.response()));
    session.on("unbind", (pdu) => {
      session.send(pdu.response());
      session.close();
    });
    session.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const receipts: DeliveryReceipt[] = [];
  const texts: Delivery[] = [];
  const client = new SmppClient({
    hosts: [{ host: "127.0.0.1", port: server.address().port }],
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
  const parts = textParts(LONG, { ...GSM7, longText: "udh", reference: 9 });
  for (const part of parts) {
    const outcome = await client.submit(
      {
        source_addr: "14155550100",
        destination_addr: "14155552671",
        registered_delivery: 1,
        ...part.fields,
      },
      [tlv("user_message_reference", 5), ...part.tlvs],
    );
    assert.ok(outcome.kind === "answered" && outcome.status === 0);
    assert.equal(outcome.messageId, `id-${submits.length}`);
  }
  // The library decodes each part alone.
  const read = submits.map((pdu) => (pdu["short_message"] as { message: string }).message);
  assert.equal(read.join(""), LONG);
  assert.equal(submits[0]?.["user_message_reference"], 5);
  await until("the receipts came", () => receipts.length === parts.length);
  assert.deepEqual(
    receipts.map((receipt) => [receipt.tlvId, receipt.state]),
    parts.map((_, index) => [`id-${index + 1}`, "DELIVRD"]),
  );
  const answered = new Promise<NpmPdu>((resolve) => {
    sessions[0]?.deliver_sm(
      {
        source_addr: "14155552671",
        destination_addr: "14155550100",
        data_coding: 8,
        short_message: { message: Buffer.from("Jā 漢", "utf16le").swap16() },
      },
      resolve,
    );
  });
  assert.equal((await answered).command_status, 0);
  const text = receivedText(texts[0] as Delivery, GSM7);
  assert.equal(text.kind === "text" && text.text, "Jā 漢");
});

test("their client at our SMSC: bind, submit, receipt, inbound, long text", async (t) => {
  const smsc = await Smsc.start({ password: "secret" });
  t.after(() => smsc.stop());
  const session = await new Promise<NpmSession>((resolve) => {
    const made = npmSmpp.connect({ url: `smpp://127.0.0.1:${smsc.port}` }, () => resolve(made));
  });
  t.after(() => session.destroy());
  session.on("error", () => {});
  const deliveries: NpmPdu[] = [];
  session.on("deliver_sm", (pdu) => {
    deliveries.push(pdu);
    session.send(pdu.response());
  });
  const bind = (password: string) =>
    new Promise<NpmPdu>((resolve) =>
      session.bind_transceiver({ system_id: "them", password }, resolve),
    );
  assert.equal((await bind("secret")).command_status, 0);
  const answer = await new Promise<NpmPdu>((resolve) =>
    session.submit_sm(
      {
        source_addr: "1",
        destination_addr: "2",
        registered_delivery: 1,
        data_coding: 0,
        short_message: "Hi {€}",
      },
      resolve,
    ),
  );
  assert.equal(answer.command_status, 0);
  assert.equal(smsc.journal.taken()[0]?.text, "Hi {€}");
  await until("the receipt came", () => deliveries.length === 1);
  assert.equal(deliveries[0]?.["receipted_message_id"], answer["message_id"]);
  assert.equal(deliveries[0]?.["message_state"], 2);
  deliveries.length = 0;
  const statuses = await smsc.sendText({ systemId: "them", from: "2", to: "1", text: LONG });
  assert.ok(statuses.every((status) => status === 0));
  const read = deliveries.map(
    (pdu) => (pdu["short_message"] as { message: string | Buffer }).message,
  );
  const whole = read.map((part) => (Buffer.isBuffer(part) ? ucs2(part, 0) : part)).join("");
  assert.equal(whole, LONG);
});
