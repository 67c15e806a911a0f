import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../../testing/until.ts";
import {
  type ClientOptions,
  type DeliveryReceipt,
  readReceipt,
  SmppClient,
  textParts,
} from "../index.ts";
import { startSmscCommand } from "./command.ts";

test("the command line sets id spellings, the meaning of data_coding 0 and the accepted binds", async (t) => {
  const lines: string[] = [];
  const args = "--port 0 --password secret --ids hex_dec --alphabet latin1 --no-transceiver";
  const smsc = await startSmscCommand(args.split(" "), (line) => lines.push(line));
  const receipts: DeliveryReceipt[] = [];
  const connect = (bind: ClientOptions["bind"] & string) => {
    const client = new SmppClient({
      hosts: [{ host: "127.0.0.1", port: smsc.port }],
      systemId: "us",
      password: "secret",
      bind,
      onDelivery: async (pdu) => {
        const receipt = readReceipt(pdu, { detectByText: true });
        assert.ok(receipt && pdu.fields.esm_class === 0, "it comes as a text does");
        receipts.push(receipt);
        return 0;
      },
    });
    t.after(() => client.stop());
    client.start();
    return client;
  };
  t.after(() => smsc.stop());

  const refused = connect("transceiver");
  await until("the bind was refused", () => refused.state().lastError !== null);
  assert.match(refused.state().lastError ?? "", /ESME_RBINDFAIL/);
  const client = connect("tx_rx");
  await until("both are bound", () => client.state().state === "up");

  const charset = { alphabet: "latin1", isPacked: false, longText: "udh", reference: 1 } as const;
  const [part] = textParts("Grüße, é", charset);
  const outcome = await client.submit({
    source_addr: "14155550100",
    destination_addr: "15005559022",
    registered_delivery: 1,
    ...part?.fields,
  });
  assert.ok(outcome.kind === "answered" && outcome.status === 0);
  await until("the receipt came", () => receipts.length === 1);
  assert.equal(receipts[0]?.textId, BigInt(`0x${outcome.messageId}`).toString());
  assert.deepEqual(lines, [
    `The SMSC listens on 127.0.0.1:${smsc.port}.`,
    'us: 14155550100 → 15005559022 [accept] "Grüße, é"',
  ]);
});

test("the command line rejects invalid values with a sentence", async () => {
  const wrong: [args: string[], sentence: RegExp][] = [
    [["--ids", "roman"], /^--ids takes decimal, hex, hex_dec, dec_hex, padded, upper_lower\.$/],
    [["--alphabet", "morse"], /^--alphabet takes gsm7, ascii, latin1\.$/],
    [["--port", "x"], /^--port takes a whole number from 0 to 65535\.$/],
  ];
  for (const [args, message] of wrong) {
    await assert.rejects(
      startSmscCommand(args, () => {}),
      { message },
    );
  }
});
