import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import fc from "fast-check";
import {
  type Alphabet,
  decodeGsm7,
  decodePdu,
  encodeGsm7,
  encodePdu,
  type LongTextMode,
  type PduOf,
  packSeptets,
  type ReceivedText,
  receivedText,
  type TextOptions,
  textParts,
  unpackSeptets,
} from "./index.ts";

const splitSms = createRequire(import.meta.url)("split-sms") as {
  split(text: string): { characterSet: string; parts: { content: string }[] };
};

const GSM7_ALL =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà\f^{}\\[~]|€";

function options(changes: Partial<TextOptions> = {}): TextOptions {
  return { alphabet: "gsm7", isPacked: false, longText: "udh", reference: 0xabcd, ...changes };
}

/** Decodes each part on its own, as a receiver would. */
function readParts(text: string, how: TextOptions): Extract<ReceivedText, { kind: "text" }>[] {
  return textParts(text, how).map((part, index) => {
    const octets = encodePdu({ command: "deliver_sm", sequence: index + 1, ...part });
    const read = receivedText(decodePdu(octets) as PduOf<"deliver_sm">, how);
    assert.equal(read.kind, "text");
    return read as Extract<ReceivedText, { kind: "text" }>;
  });
}

const anyText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...GSM7_ALL) },
      { weight: 1, arbitrary: fc.constantFrom("ê", "漢", "😀", "“", "\u{1f468}") },
    ),
    { minLength: 1, maxLength: 600 },
  )
  .map((characters) => characters.join(""));

test("any message round-trips, in every alphabet and every way of joining parts", () => {
  for (const alphabet of ["gsm7", "ascii", "latin1"] as Alphabet[]) {
    for (const longText of ["udh", "sar", "payload"] as LongTextMode[]) {
      fc.assert(
        fc.property(anyText, fc.boolean(), fc.boolean(), (any, isPacked, hasWideReference) => {
          // A carriage return at the very end of packed septets is padding.
          const text = isPacked ? any.replaceAll("\r", " ") : any;
          const how = options({ alphabet, longText, isPacked, hasWideReference });
          const parts = readParts(text, how);
          assert.equal(parts.map((part) => part.text).join(""), text);
          for (const [index, part] of parts.entries()) {
            if (parts.length === 1) assert.equal(part.part, null);
            else {
              assert.equal(part.part?.number, index + 1);
              assert.equal(part.part.total, parts.length);
            }
            assert.ok(part.octets.length <= 254 || longText === "payload");
          }
        }),
        { numRuns: 60 },
      );
    }
  }
});

test("parts are split at the same points as by the npm library", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const theirs = splitSms.split(text).parts.map((part) => part.content);
      const ours = readParts(text, options()).map((part) => part.text);
      assert.deepEqual(ours, theirs);
    }),
    { numRuns: 300 },
  );
});

test("each part of a long UCS-2 message decodes alone: no half characters", () => {
  const text = `${"a".repeat(66)}😀${"漢".repeat(65)}😀😀`;
  for (const part of readParts(text, options())) {
    assert.doesNotMatch(part.text, /[\ud800-\udbff](?![\udc00-\udfff])/);
    assert.ok(part.octets.length <= 140);
  }
});

test("UCS-2 is big-endian, GSM 7-bit has its extension behind an escape", () => {
  const [ucs2] = textParts("é漢", options());
  assert.equal(ucs2?.fields.data_coding, 8);
  assert.equal(ucs2.fields.short_message.toString("hex"), "00e96f22");
  const [gsm7] = textParts("{€}@", options());
  assert.equal(gsm7?.fields.data_coding, 0);
  assert.equal(gsm7.fields.short_message.toString("hex"), "1b281b651b2900");
});

test("characters outside the default alphabet switch to UCS-2", () => {
  const coding = (text: string, alphabet: Alphabet) =>
    textParts(text, options({ alphabet }))[0]?.fields.data_coding;
  assert.equal(coding("ê", "gsm7"), 8);
  assert.equal(coding("ê", "latin1"), 0);
  assert.equal(coding("€", "latin1"), 8);
  assert.equal(coding("é", "ascii"), 8);
  assert.equal(coding("`{}", "ascii"), 0);
  assert.equal(coding("`", "gsm7"), 8);
});

test("a body of exactly one message stays one, and one more unit makes two", () => {
  const count = (text: string, changes: Partial<TextOptions> = {}) =>
    textParts(text, options(changes)).length;
  assert.equal(count("x".repeat(160)), 1);
  assert.equal(count("x".repeat(161)), 2);
  assert.equal(count("x".repeat(306)), 2);
  assert.equal(count("x".repeat(307)), 3);
  assert.equal(count("漢".repeat(70)), 1);
  assert.equal(count("漢".repeat(71)), 2);
  assert.equal(count("漢".repeat(134)), 2);
  assert.equal(count("漢".repeat(135)), 3);
  assert.equal(count("x".repeat(140), { alphabet: "latin1" }), 1);
  assert.equal(count("x".repeat(141), { alphabet: "latin1" }), 2);
  assert.equal(count("x".repeat(5_000), { longText: "payload" }), 1);
  assert.throws(() => count("漢".repeat(255 * 67 + 1)), /255/);
});

test("packing matches the specification's example", () => {
  const packed = packSeptets(encodeGsm7("hellohello") as Buffer);
  assert.equal(packed.toString("hex"), "e8329bfd4697d9ec37");
  assert.equal(decodeGsm7(unpackSeptets(packed)), "hellohello");
  for (const text of ["1234567", "1234567@", "12345678", "@@@@@@@@"]) {
    assert.equal(decodeGsm7(unpackSeptets(packSeptets(encodeGsm7(text) as Buffer))), text);
  }
});

test("any octets decode to some string", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 254 }),
      fc.integer({ min: 0, max: 255 }),
      fc.integer({ min: 0, max: 255 }),
      fc.boolean(),
      (octets, dataCoding, esmClass, isPacked) => {
        const pdu = decodePdu(
          encodePdu({
            command: "deliver_sm",
            sequence: 1,
            fields: {
              short_message: Buffer.from(octets),
              data_coding: dataCoding,
              esm_class: esmClass,
            },
          }),
        ) as PduOf<"deliver_sm">;
        const read = receivedText(pdu, { alphabet: "gsm7", isPacked });
        assert.deepEqual(read.octets, Buffer.from(octets));
      },
    ),
  );
});

test("national language tables are refused by name, an unknown data_coding is flagged", () => {
  const read = (octets: number[], dataCoding = 0) =>
    receivedText(
      decodePdu(
        encodePdu({
          command: "deliver_sm",
          sequence: 1,
          fields: {
            esm_class: 0x40,
            data_coding: dataCoding,
            short_message: Buffer.from(octets),
          },
        }),
      ) as PduOf<"deliver_sm">,
      { alphabet: "gsm7", isPacked: false },
    );
  const turkish = read([3, 0x25, 1, 1, 0x41]);
  assert.equal(turkish.kind, "national");
  assert.match(turkish.kind === "national" ? turkish.reason : "", /Turkish, locking shift/);
  const single = read([6, 0x24, 1, 2, 0x25, 1, 3, 0x41]);
  assert.match(
    single.kind === "national" ? single.reason : "",
    /Spanish, single .*Portuguese, lock/,
  );
  // Table 0 is the default alphabet, and UCS-2 needs no table.
  assert.equal(read([3, 0x25, 1, 0, 0x41]).kind, "text");
  assert.equal(read([3, 0x25, 1, 1, 0, 0x41], 8).kind, "text");
  const japanese = read([0, 0x93, 0xfa], 0x05);
  assert.equal(japanese.kind === "text" && japanese.isCharsetKnown, false);
});
