import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { npmSmpp } from "../testing/npm-smpp.ts";
import {
  COMMANDS,
  type CommandName,
  decodePdu,
  encodePdu,
  FieldError,
  type PduOf,
  tlv,
  tlvValue,
} from "./index.ts";

const names = Object.keys(COMMANDS) as CommandName[];

function anyFields(name: CommandName): fc.Arbitrary<Record<string, number | string | Buffer>> {
  const fields = COMMANDS[name].fields.map((field) => {
    if (field.kind === "u8") return [field.name, fc.integer({ min: 0, max: 255 })] as const;
    if (field.kind === "octets") {
      const octets = fc
        .uint8Array({ maxLength: field.octetsMax })
        .map((value) => Buffer.from(value));
      return [field.name, octets] as const;
    }
    const character = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
    return [field.name, fc.string({ unit: character, maxLength: field.octetsMax - 1 })] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

const anyTlvs = fc.array(
  fc.record({
    tag: fc.integer({ min: 0, max: 0xffff }),
    value: fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value)),
  }),
  { maxLength: 5 },
);

test("every PDU decodes as it was encoded, TLVs included", () => {
  for (const name of names) {
    const withTlvs = COMMANDS[name].tlvs;
    fc.assert(
      fc.property(
        anyFields(name),
        anyTlvs,
        fc.integer({ min: 1, max: 0x7fffffff }),
        (fields, tlvs, sequence) => {
          const sent = withTlvs ? tlvs.map((one) => ({ ...one })) : [];
          const pdu = decodePdu(encodePdu({ command: name, sequence, fields, tlvs: sent }));
          assert.equal(pdu.command, name);
          assert.equal(pdu.sequence, sequence);
          assert.deepEqual({ ...(pdu as PduOf<CommandName>).fields }, { ...fields });
          assert.deepEqual((pdu as PduOf<CommandName>).tlvs, sent);
          assert.equal((pdu as PduOf<CommandName>).trailing, null);
        },
      ),
      { numRuns: 40 },
    );
  }
});

const BOTH_KNOW: CommandName[] = names.filter((name) => name !== "generic_nack");

test("the npm library encodes the same octets, and decodes ours", () => {
  for (const name of BOTH_KNOW) {
    const fields: Record<string, unknown> = {};
    for (const field of COMMANDS[name].fields) {
      if (field.kind === "u8") fields[field.name] = field.name.length;
      // The npm library truncates passwords to eight characters.
      else if (field.kind === "cstring")
        fields[field.name] = field.octetsMax > 8 ? "8abcdef" : "abc";
      else fields[field.name] = Buffer.from([1, 2, 3, 0, 255]);
    }
    fields["schedule_delivery_time"] &&= "";
    fields["validity_period"] &&= "";
    fields["final_date"] &&= "";
    const ours = encodePdu({ command: name, sequence: 77, fields });
    const theirs = new npmSmpp.PDU(name, { sequence_number: 77, ...fields });
    assert.equal(ours.toString("hex"), theirs.toBuffer().toString("hex"), name);
    const read = npmSmpp.PDU.fromBuffer(ours);
    for (const [field, value] of Object.entries(fields)) {
      const theirValue = read[field];
      if (field === "short_message") {
        const { message } = theirValue as { message?: Buffer };
        assert.deepEqual(message ?? theirValue, value, name);
      } else if (value !== "") assert.deepEqual(theirValue, value, `${name}.${field}`);
    }
  }
});

test("a submit_sm has the octets of the specification", () => {
  const octets = encodePdu({
    command: "submit_sm",
    sequence: 0x01020304,
    fields: {
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: "1415",
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: "1416",
      registered_delivery: 1,
      short_message: Buffer.from("Hi"),
    },
    tlvs: [tlv("user_message_reference", 0x0a0b)],
  });
  const body =
    "00 0101 3134313500 0101 3134313600 00 00 00 00 00 01 00 00 00 02 4869 0204 0002 0a0b";
  const header = "00000031 00000004 00000000 01020304";
  assert.equal(octets.toString("hex"), `${header}${body}`.replaceAll(" ", ""));
});

test("a refusal has no body when the specification leaves it out", () => {
  assert.equal(encodePdu({ command: "submit_sm_resp", sequence: 1, status: 0x58 }).length, 16);
  assert.equal(encodePdu({ command: "deliver_sm_resp", sequence: 1, status: 0x08 }).length, 17);
});

test("a value that does not fit throws an error with the name of its field", () => {
  const write = (fields: object) => () => encodePdu({ command: "submit_sm", sequence: 1, fields });
  for (const [fields, field] of [
    [{ source_addr: "1".repeat(21) }, "source_addr"],
    [{ source_addr: "a\0b" }, "source_addr"],
    [{ source_addr: "€" }, "source_addr"],
    [{ esm_class: 256 }, "esm_class"],
    [{ esm_class: -1 }, "esm_class"],
    [{ esm_class: 1.5 }, "esm_class"],
    [{ short_message: Buffer.alloc(255) }, "short_message"],
  ] as const) {
    assert.throws(write(fields), (error) => error instanceof FieldError && error.field === field);
  }
  assert.throws(() => tlv("message_state", 300), FieldError);
  assert.throws(() => tlv("user_message_reference", 0x10000), FieldError);
});

test("incomplete PDUs of lenient peers are decoded as far as possible", () => {
  const header = encodePdu({ command: "submit_sm_resp", sequence: 3, status: 0x58 });
  const refused = decodePdu(header) as PduOf<"submit_sm_resp">;
  assert.equal(refused.status, 0x58);
  assert.equal(refused.fields.message_id, "");
  const unterminated = Buffer.concat([header, Buffer.from("abc")]);
  unterminated.writeUInt32BE(unterminated.length, 0);
  assert.equal((decodePdu(unterminated) as PduOf<"submit_sm_resp">).fields.message_id, "abc");
});

test("a truncated request and an unknown command carry the status to respond with", () => {
  const whole = encodePdu({ command: "deliver_sm", sequence: 5, fields: { source_addr: "1415" } });
  for (let length = 16; length < whole.length; length++) {
    const cut = decodePdu(whole.subarray(0, length));
    assert.equal(cut.command, null, `cut to ${length}`);
    assert.equal(cut.command === null && cut.answerStatus, 0x02);
    assert.equal(cut.sequence, 5);
  }
  const unknown = Buffer.from(whole);
  unknown.writeUInt32BE(0x21, 4);
  const read = decodePdu(unknown);
  assert.equal(read.command === null && read.answerStatus, 0x03);
});

test("unknown and malformed TLVs are kept, and read as missing", () => {
  const octets = encodePdu({
    command: "deliver_sm",
    sequence: 1,
    tlvs: [
      { tag: 0x1454, value: Buffer.from("vendor") },
      { tag: 0x0427, value: Buffer.alloc(0) },
      tlv("receipted_message_id", "abc"),
    ],
  });
  const cut = Buffer.concat([octets, Buffer.from([0x02, 0x04, 0xff])]);
  cut.writeUInt32BE(cut.length, 0);
  const pdu = decodePdu(cut) as PduOf<"deliver_sm">;
  assert.equal(pdu.tlvs.length, 3);
  assert.equal(pdu.tlvs[0]?.value.toString(), "vendor");
  assert.equal(tlvValue(pdu.tlvs, "message_state"), undefined);
  assert.equal(tlvValue(pdu.tlvs, "receipted_message_id"), "abc");
  assert.deepEqual(pdu.trailing, Buffer.from([0x02, 0x04, 0xff]));
});
