import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import fc from "fast-check";
import { BASE62_ALPHABET, base62, crc32, isWellFormedKey, keyChecksum } from "./checksum.ts";

test("CRC-32 has its published check values", () => {
  assert.equal(crc32(""), 0);
  assert.equal(crc32("123456789"), 0xcbf43926);
  assert.equal(crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339);
  assert.equal(crc32("a"), 0xe8b7be43);
});

test("zlib computes the same CRC-32", () => {
  // A gzip file ends with the CRC-32 and the length of its content, four bytes each.
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const zipped = zlib.gzipSync(text);
      assert.equal(crc32(text), zipped.readUInt32LE(zipped.length - 8));
    }),
  );
});

test("base62 is big-endian and padded on the left", () => {
  assert.equal(base62(0, 6), "000000");
  assert.equal(base62(61, 6), "00000z");
  assert.equal(base62(62, 6), "000010");
  assert.equal(base62(35, 2), "0Z");
  assert.equal(base62(36, 2), "0a");
  assert.equal(base62(0xffffffff, 6), "4gfFC3");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), (value) => {
      const digits = [...base62(value, 6)].map((c) => BASE62_ALPHABET.indexOf(c));
      assert.equal(
        digits.reduce((sum, digit) => sum * 62 + digit, 0),
        value,
      );
    }),
  );
});

const random = fc.string({
  unit: fc.constantFrom(...BASE62_ALPHABET),
  minLength: 32,
  maxLength: 32,
});

test("a key with its checksum is well formed; one changed character breaks it", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("svc_sk_test_", "svc_sk_live_"),
      random,
      fc.nat(37),
      fc.constantFrom(...BASE62_ALPHABET),
      (prefix, text, at, other) => {
        const key = prefix + text + keyChecksum(prefix + text);
        assert.equal(key.length, 12 + 32 + 6);
        assert.ok(isWellFormedKey(key));
        const changed = key.slice(0, 12 + at) + other + key.slice(12 + at + 1);
        assert.equal(isWellFormedKey(changed), changed === key);
      },
    ),
  );
});

test("the checksum covers the prefix: a test key cannot be edited into a live one", () => {
  const body = "svc_sk_test_0123456789abcdefghijABCDEFGHIJ01";
  const key = body + keyChecksum(body);
  assert.equal(key, "svc_sk_test_0123456789abcdefghijABCDEFGHIJ010MRXIn");
  assert.ok(isWellFormedKey(key));
  assert.ok(!isWellFormedKey(key.replace("test", "live")));
});

test("other shapes are not keys", () => {
  const body = `svc_sk_test_${"0".repeat(32)}`;
  const key = body + keyChecksum(body);
  for (const wrong of [
    "",
    "svc_sk_test_",
    ` ${key}`,
    `${key} `,
    `${key}\n`,
    `${key}0`,
    key.slice(0, -1),
    key.slice(1),
    key.toUpperCase(),
    `sk_test_${"0".repeat(32)}${keyChecksum(`sk_test_${"0".repeat(32)}`)}`,
    `${body}00000é`,
    "0".repeat(100_000),
  ]) {
    assert.equal(isWellFormedKey(wrong), false, wrong.slice(0, 60));
  }
});
