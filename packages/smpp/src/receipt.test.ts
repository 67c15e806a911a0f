import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  canonicalId,
  decodePdu,
  encodePdu,
  type PduOf,
  parseReceiptText,
  readReceipt,
  receiptIds,
  type Tlv,
  tlv,
} from "./index.ts";

const TEXT =
  "id:0123456789 sub:001 dlvrd:001 submit date:2611160059 done date:2611160101 stat:DELIVRD err:000 text:Hello";

function deliver(
  text: string | Buffer,
  changes: { esm?: number; tlvs?: Tlv[]; dataCoding?: number } = {},
): PduOf<"deliver_sm"> {
  const octets = Buffer.isBuffer(text) ? text : Buffer.from(text, "latin1");
  return decodePdu(
    encodePdu({
      command: "deliver_sm",
      sequence: 1,
      fields: {
        esm_class: changes.esm ?? 0x04,
        data_coding: changes.dataCoding ?? 0,
        short_message: octets,
      },
      tlvs: changes.tlvs ?? [],
    }),
  ) as PduOf<"deliver_sm">;
}

test("receipt text is parsed key by key, as peers write it", () => {
  // biome-ignore format: one text per line, read as a table
  const texts: [raw: string, expected: Partial<ReturnType<typeof parseReceiptText>>][] = [
    [TEXT, { id: "0123456789", stat: "DELIVRD", err: "000", submitDate: "2611160059", doneDate: "2611160101" }],
    [TEXT.replace("text:", "Text:"), { id: "0123456789", stat: "DELIVRD" }],
    ["id:a-b_C stat:EXPIRED", { id: "a-b_C", stat: "EXPIRED", err: null }],
    ["stat:UNDELIV err:5 id:77", { id: "77", stat: "UNDELIV", err: "5" }],
    ["id:1 submitdate:2611160059 donedate:261116010101 stat:REJECTD err:0088", { submitDate: "2611160059", doneDate: "261116010101", err: "0088" }],
    ["ID:1 STAT:delivrd ERR:0", { id: "1", stat: "delivrd" }],
    ["id:1 stat:DELIVRD err:000 text:id:2 stat:UNDELIV", { id: "1", stat: "DELIVRD" }],
    ["id:1 sub:001 stat: err:000", { id: "1", stat: null, err: "000" }],
    ["a person wrote this: stat is unknown", { id: null, stat: null }],
    ["", { id: null, stat: null }],
  ];
  for (const [raw, expected] of texts) {
    assert.deepEqual({ ...parseReceiptText(raw), ...expected }, parseReceiptText(raw), raw);
  }
  fc.assert(fc.property(fc.string(), (any) => void parseReceiptText(any)));
});

test("TLVs come first, the receipt text fills the gaps", () => {
  const receipt = readReceipt(
    deliver(TEXT, { tlvs: [tlv("receipted_message_id", "9f"), tlv("message_state", 5)] }),
  );
  assert.equal(receipt?.tlvId, "9f");
  assert.equal(receipt.textId, "0123456789");
  assert.equal(receipt.state, "UNDELIV");
  assert.equal(receipt.error, "000");
  const onlyTlvs = readReceipt(
    deliver("", {
      tlvs: [
        tlv("receipted_message_id", "9f"),
        tlv("message_state", 2),
        tlv("network_error_code", Buffer.from([3, 0, 5])),
        tlv("user_message_reference", 321),
      ],
    }),
  );
  assert.equal(onlyTlvs?.state, "DELIVRD");
  assert.equal(onlyTlvs.error, "005");
  assert.equal(onlyTlvs.userMessageReference, 321);
});

test("esm_class identifies a receipt: a message from a phone is none, an intermediate is marked", () => {
  assert.equal(readReceipt(deliver(TEXT, { esm: 0 })), null);
  const named = deliver("Hello", { esm: 0, tlvs: [tlv("receipted_message_id", "mo-1")] });
  assert.equal(readReceipt(named), null);
  assert.equal(readReceipt(deliver(TEXT, { esm: 0 }), { detectByText: true })?.state, "DELIVRD");
  assert.equal(readReceipt(deliver("Hello id:1", { esm: 0 }), { detectByText: true }), null);
  assert.equal(readReceipt(deliver(TEXT, { esm: 0x20 }))?.isIntermediate, true);
  // Also with a header bit or a reply path.
  assert.equal(readReceipt(deliver(TEXT, { esm: 0xc4 }))?.isIntermediate, false);
});

test("receipts are ASCII whatever data_coding claims, and UTF-16 only when the octets are", () => {
  assert.equal(readReceipt(deliver(TEXT, { dataCoding: 8 }))?.textId, "0123456789");
  const wide = Buffer.from(TEXT, "utf16le").swap16();
  assert.equal(readReceipt(deliver(wide, { dataCoding: 8 }))?.textId, "0123456789");
});

test("states have many spellings; an unknown one is kept without a state", () => {
  const stateOf = (stat: string) => readReceipt(deliver(`id:1 stat:${stat}`));
  assert.equal(stateOf("DELIVERED")?.state, "DELIVRD");
  assert.equal(stateOf("failed")?.state, "UNDELIV");
  assert.equal(stateOf("BUFFRED")?.state, "ENROUTE");
  assert.equal(stateOf("SKIPPED")?.state, null);
  assert.equal(stateOf("SKIPPED")?.stat, "SKIPPED");
});

test("ids match in all their spellings", () => {
  assert.equal(
    canonicalId("1A2B", "hex_dec", "response"),
    canonicalId("6699", "hex_dec", "receipt"),
  );
  assert.equal(
    canonicalId("6699", "dec_hex", "response"),
    canonicalId("1a2b", "dec_hex", "receipt"),
  );
  assert.equal(
    canonicalId("0001a2B", "as_is", "receipt"),
    canonicalId("1A2b", "as_is", "response"),
  );
  // Above 2^53, digit for digit.
  const big = "9007199254740993123";
  assert.equal(canonicalId(BigInt(big).toString(16), "hex_dec", "response"), big);
  // Not numbers, so case is kept.
  assert.notEqual(canonicalId("aXz", "as_is", "receipt"), canonicalId("AxZ", "as_is", "receipt"));
  assert.equal(canonicalId("0", "as_is", "receipt"), "0");
  assert.equal(canonicalId("000", "as_is", "receipt"), "0");
  assert.equal(canonicalId("not-hex", "hex_dec", "response"), "not-hex");
});

test("a receipt names its message by TLV first, in either spelling", () => {
  const wanted = canonicalId("1A2B", "hex_dec", "response");
  assert.equal(receiptIds({ tlvId: null, textId: "6699" }, "hex_dec")[0], wanted);
  assert.equal(receiptIds({ tlvId: "1A2B", textId: "6699" }, "hex_dec")[0], wanted);
  assert.equal(receiptIds({ tlvId: "6699", textId: "6699" }, "hex_dec")[0], wanted);
  assert.ok(receiptIds({ tlvId: "1A2B", textId: null }, "hex_dec").includes(wanted));
  assert.deepEqual(receiptIds({ tlvId: "abc-full", textId: "abc" }, "as_is"), ["abc-full", "abc"]);
  assert.deepEqual(receiptIds({ tlvId: null, textId: null }, "as_is"), []);
});
