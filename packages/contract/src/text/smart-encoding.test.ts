import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { smartEncoded } from "./smart-encoding.ts";
import { countSegments } from "./sms-segments.ts";

test("typographic characters are replaced when that makes the whole body GSM-7", () => {
  const cases: [body: string, becomes: string | null][] = [
    ["It’s “here” – now…", `It's "here" - now...`],
    ["a\u00a0b\u202fc\u200bd\ufeff", "a b cd"],
    ["• one\u2028• two", "* one\n* two"],
    ["Acme™ `x`", "Acme(TM) 'x'"],
    ["plain text, {€} é", null],
    ["It’s 😀", null],
    ["It’s Łódź", null],
    ["naïve", null],
    ["", null],
  ];
  for (const [body, becomes] of cases) assert.equal(smartEncoded(body), becomes, body);
});

test("smart encoding never adds segments, and is idempotent", () => {
  assert.equal(smartEncoded("…".repeat(70)), null, "210 septets are two segments");
  assert.equal(smartEncoded("…".repeat(50)), "...".repeat(50));
  const character = fc.oneof(
    fc.constantFrom(..."“”‘’–—…•\u00a0\u200b™`´ab€{é漢😀"),
    fc.string({ unit: "binary", maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 400 }), (characters) => {
      const body = characters.join("");
      const text = smartEncoded(body);
      if (text === null) return;
      const [before, after] = [countSegments(body), countSegments(text)];
      assert.equal(before.encoding, "ucs2");
      assert.equal(after.encoding, "gsm7");
      assert.ok(after.segments <= before.segments);
      assert.equal(smartEncoded(text), null);
    }),
    { numRuns: 500 },
  );
});
