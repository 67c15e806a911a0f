import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { countSegments, splitSegments, UCS2_CHARACTERS_MAX } from "./sms-segments.ts";

interface SplitSms {
  split(message: string): { characterSet: "GSM" | "Unicode"; parts: { content: string }[] };
}
const splitSms = createRequire(import.meta.url)("split-sms") as SplitSms;

const EMOJI = "😀";

function expectCount(body: string, encoding: string, segments: number, units: number): void {
  const count = countSegments(body);
  assert.deepEqual(
    { encoding: count.encoding, segments: count.segments, units: count.units },
    { encoding, segments, units },
    JSON.stringify(body.slice(0, 20)),
  );
  const parts = splitSegments(body);
  assert.equal(parts.length, segments);
  assert.equal(parts.join(""), body);
}

test("GSM 03.38 borders", () => {
  expectCount("", "gsm7", 1, 0);
  expectCount("a", "gsm7", 1, 1);
  expectCount("a".repeat(160), "gsm7", 1, 160);
  expectCount("a".repeat(161), "gsm7", 2, 161);
  for (let parts = 2; parts <= 11; parts++) {
    expectCount("a".repeat(153 * parts), "gsm7", parts, 153 * parts);
    expectCount("a".repeat(153 * parts + 1), "gsm7", parts + 1, 153 * parts + 1);
  }
  expectCount("a".repeat(1600), "gsm7", 11, 1600);
});

test("UCS-2 borders", () => {
  expectCount("ж", "ucs2", 1, 1);
  expectCount("ж".repeat(70), "ucs2", 1, 70);
  expectCount("ж".repeat(71), "ucs2", 2, 71);
  for (let parts = 2; parts <= 24; parts++) {
    expectCount("ж".repeat(67 * parts), "ucs2", parts, 67 * parts);
    expectCount("ж".repeat(67 * parts + 1), "ucs2", parts + 1, 67 * parts + 1);
  }
  expectCount(`${"a".repeat(69)}ж`, "ucs2", 1, 70);
  expectCount(`${"a".repeat(160)}ж`, "ucs2", 3, 161);
});

test("an extension character keeps its escape", () => {
  expectCount(`${"a".repeat(158)}€`, "gsm7", 1, 160);
  expectCount(`${"a".repeat(159)}€`, "gsm7", 2, 161);
  // 306 septets would fill two parts of 153, but the pair at 153 moves whole to the second.
  expectCount(`${"a".repeat(152)}|${"a".repeat(152)}`, "gsm7", 3, 306);
  expectCount(`${"a".repeat(151)}|${"a".repeat(153)}`, "gsm7", 2, 306);
  assert.deepEqual(splitSegments(`${"a".repeat(152)}|${"b".repeat(152)}`), [
    "a".repeat(152),
    `|${"b".repeat(151)}`,
    "b",
  ]);
  // Only pairs: 76 of them fill a part and leave one septet unused.
  expectCount("€".repeat(80), "gsm7", 1, 160);
  expectCount("€".repeat(81), "gsm7", 2, 162);
  expectCount("€".repeat(152), "gsm7", 2, 304);
  expectCount("€".repeat(153), "gsm7", 3, 306);
});

test("a surrogate pair is never split", () => {
  expectCount(EMOJI.repeat(35), "ucs2", 1, 70);
  expectCount(`${EMOJI.repeat(35)}a`, "ucs2", 2, 71);
  expectCount(`${"a".repeat(66)}${EMOJI}${"a".repeat(66)}`, "ucs2", 3, 134);
  expectCount(`${"a".repeat(65)}${EMOJI}${"a".repeat(67)}`, "ucs2", 2, 134);
  assert.deepEqual(splitSegments(`${"a".repeat(66)}${EMOJI}bbbb`), [
    "a".repeat(66),
    `${EMOJI}bbbb`,
  ]);
  // 33 pairs and a gap in each part.
  expectCount(EMOJI.repeat(66), "ucs2", 2, 132);
  expectCount(EMOJI.repeat(67), "ucs2", 3, 134);
  expectCount(EMOJI.repeat(1600), "ucs2", 49, 3200);
});

test("half a surrogate pair counts as one unit and is kept", () => {
  expectCount("\ud83d", "ucs2", 1, 1);
  expectCount(`${"a".repeat(70)}\ude00`, "ucs2", 2, 71);
  expectCount("\ud83d".repeat(71), "ucs2", 2, 71);
});

test("the alphabet's characters", () => {
  const gsm7 = (text: string) => countSegments(text).encoding === "gsm7";
  for (const character of "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ ¤¡ÄÖÑÜ§¿äöñüà\f^{}\\[~]|€") {
    assert.ok(gsm7(character), character);
  }
  for (const character of "`çêâÀÁáíóúœ’“”–—…\t\u001b\u00a0•™ΑαБ中\0") {
    assert.ok(!gsm7(character), character);
  }
  expectCount("\r\n", "gsm7", 1, 2);
});

test("the characters that force UCS-2 are listed once each, in order, up to a limit", () => {
  assert.deepEqual(countSegments("plain").ucs2Characters, []);
  assert.deepEqual(countSegments("“Hi” – it’s “me” 😀").ucs2Characters, ["“", "”", "–", "’", "😀"]);
  const many = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
  assert.equal(countSegments(many).ucs2Characters.length, UCS2_CHARACTERS_MAX);
});

const gsm7Text = fc.string({
  unit: fc.constantFrom("a", "Z", " ", "é", "Δ", "\n", "@", "€", "[", "]", "|", "^", "~", "\\"),
  maxLength: 700,
});
const mixedText = fc.string({
  unit: fc.constantFrom("a", "é", "€", "’", "ж", "中", EMOJI, "👍", "\u{20000}"),
  maxLength: 400,
});

test("split-sms splits every message at the same points", () => {
  fc.assert(
    fc.property(fc.oneof(gsm7Text, mixedText), (body) => {
      const theirs = splitSms.split(body);
      const ours = countSegments(body);
      assert.equal(ours.encoding, theirs.characterSet === "GSM" ? "gsm7" : "ucs2");
      assert.equal(ours.segments, theirs.parts.length);
      assert.deepEqual(
        splitSegments(body),
        theirs.parts.map((part) => part.content),
      );
    }),
    { numRuns: 1_000 },
  );
});

test("Twilio's calculator returns the same counts", () => {
  // The calculator lacks lone line ends and the form feed, so the samples omit them.
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "é", "€", "[", "|"), maxLength: 330 }),
    fc.string({ unit: fc.constantFrom("a", "’", "ж", EMOJI), minLength: 1, maxLength: 150 }),
  );
  fc.assert(
    fc.property(texts, (body) => {
      if (body === "") return;
      const theirs = new SegmentedMessage(body);
      const ours = countSegments(body);
      assert.equal(ours.encoding, theirs.encodingName === "GSM-7" ? "gsm7" : "ucs2");
      assert.equal(ours.segments, theirs.segmentsCount);
    }),
    { numRuns: 150 },
  );
});

test("every part fits, holds whole characters, and had no room for the next one", () => {
  const septets = (text: string) => countSegments(text).units;
  fc.assert(
    fc.property(fc.oneof(gsm7Text, mixedText), (body) => {
      const parts = splitSegments(body);
      assert.equal(parts.join(""), body);
      if (parts.length === 1) return;
      const { encoding } = countSegments(body);
      const [limit, size] =
        encoding === "gsm7" ? [153, septets] : [67, (text: string) => text.length];
      for (const [index, part] of parts.entries()) {
        assert.ok(size(part) <= limit);
        assert.doesNotMatch(part, /\p{Surrogate}/u);
        const next = parts[index + 1];
        if (next) assert.ok(size(part) + size([...next][0] ?? "") > limit, "part is not full");
      }
    }),
  );
});
