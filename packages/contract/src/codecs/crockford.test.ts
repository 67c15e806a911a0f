import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  bytesToUuid,
  decodeUuid,
  decodeUuidBytes,
  encodeUuid,
  encodeUuidBytes,
  uuidToBytes,
} from "./crockford.ts";

/** Vectors of the TypeID specification, which has the same encoding. */
const VECTORS: [uuid: string, text: string][] = [
  ["00000000-0000-0000-0000-000000000000", "00000000000000000000000000"],
  ["00000000-0000-0000-0000-000000000001", "00000000000000000000000001"],
  ["00000000-0000-0000-0000-00000000000a", "0000000000000000000000000a"],
  ["00000000-0000-0000-0000-000000000010", "0000000000000000000000000g"],
  ["00000000-0000-0000-0000-000000000020", "00000000000000000000000010"],
  ["0110c853-1d09-52d8-d73e-1194e95b5f19", "0123456789abcdefghjkmnpqrs"],
  ["01890a5d-ac96-774b-bcce-b302099a8057", "01h455vb4pex5vsknk084sn02q"],
  ["ffffffff-ffff-ffff-ffff-ffffffffffff", "7zzzzzzzzzzzzzzzzzzzzzzzzz"],
];

test("the TypeID vectors encode and decode", () => {
  for (const [uuid, text] of VECTORS) {
    assert.equal(encodeUuid(uuid), text);
    assert.equal(decodeUuid(text), uuid);
  }
  assert.equal(encodeUuid("01890A5D-AC96-774B-BCCE-B302099A8057"), "01h455vb4pex5vsknk084sn02q");
});

test("only one spelling of an id is accepted", () => {
  for (const text of [
    "",
    "0",
    "0123456789abcdefghjkmnpqr",
    "0123456789abcdefghjkmnpqrst",
    "80000000000000000000000000", // above 128 bits
    "zzzzzzzzzzzzzzzzzzzzzzzzzz",
    "0123456789ABCDEFGHJKMNPQRS",
    "0123456789abcdefghjkmnpqri",
    "0123456789abcdefghjkmnpqrl",
    "0123456789abcdefghjkmnpqro",
    "0123456789abcdefghjkmnpqru",
    "0123456789-bcdefghjkmnpqrs",
    "0123456789 bcdefghjkmnpqrs",
    "0123456789ébcdefghjkmnpqrs",
    "-123456789abcdefghjkmnpqrs",
    "0123456789abcdefghjkmnpqr\n",
  ]) {
    assert.equal(decodeUuid(text), null, JSON.stringify(text));
    assert.equal(decodeUuidBytes(text), null, JSON.stringify(text));
  }
});

test("only UUIDs are encoded", () => {
  for (const uuid of [
    "",
    "01890a5dac96774bbcceb302099a8057",
    "01890a5d-ac96-774b-bcce-b302099a805g",
    "01890a5d-ac96-774b-bcce-b302099a80577",
    "01890a5d+ac96-774b-bcce-b302099a8057",
    "{1890a5d-ac96-774b-bcce-b302099a8057",
  ]) {
    assert.equal(uuidToBytes(uuid), null, uuid);
    assert.throws(() => encodeUuid(uuid), RangeError);
  }
  assert.throws(() => encodeUuidBytes(new Uint8Array(15)), RangeError);
});

const uuidBytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

test("any 16 bytes round-trip, as bytes and as a string", () => {
  fc.assert(
    fc.property(uuidBytes, (bytes) => {
      const text = encodeUuidBytes(bytes);
      assert.match(text, /^[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      assert.deepEqual(decodeUuidBytes(text), bytes);
      const uuid = bytesToUuid(bytes);
      assert.equal(encodeUuid(uuid), text);
      assert.equal(decodeUuid(text), uuid);
      assert.equal(
        BigInt(`0x${uuid.replaceAll("-", "")}`),
        [...text].reduce(
          (sum, c) => sum * 32n + BigInt("0123456789abcdefghjkmnpqrstvwxyz".indexOf(c)),
          0n,
        ),
      );
    }),
  );
});

test("ids sort as their UUIDs do", () => {
  fc.assert(
    fc.property(uuidBytes, uuidBytes, (a, b) => {
      const byUuid = Math.sign(Buffer.compare(a, b));
      const [textA, textB] = [encodeUuidBytes(a), encodeUuidBytes(b)];
      assert.equal(textA < textB ? -1 : textA > textB ? 1 : 0, byUuid);
    }),
  );
});
