import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import {
  HELP_KEYWORDS,
  matchKeyword,
  OPT_IN_KEYWORDS,
  OPT_OUT_KEYWORDS,
  PHRASE_CHARS_MAX,
} from "./keywords.ts";

interface Row {
  text: string;
  expect: "opt_out" | "opt_in" | "help" | null;
  match: "keyword" | "phrase" | null;
  opted_out?: boolean;
  note?: string;
}

const rows = JSON.parse(
  readFileSync(new URL("../../fixtures/opt-out.json", import.meta.url), "utf8"),
) as Row[];

test("every message of the published suite has its expected result", () => {
  const wrong: string[] = [];
  for (const row of rows) {
    const found = matchKeyword(row.text, { optedOut: row.opted_out ?? false });
    const [action, match] = [found?.action ?? null, found?.match ?? null];
    if (action !== row.expect || match !== row.match) {
      wrong.push(`${JSON.stringify(row.text)}: ${action}/${match}, not ${row.expect}/${row.match}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the suite is complete: no duplicates, at least 120 of each kind, a row for every keyword", () => {
  const keys = rows.map((row) => JSON.stringify([row.text, row.opted_out ?? false]));
  assert.equal(new Set(keys).size, rows.length);
  assert.ok(rows.filter((row) => row.expect === "opt_out").length >= 120);
  assert.ok(rows.filter((row) => row.expect === null).length >= 120);
  for (const keyword of [...OPT_OUT_KEYWORDS, ...OPT_IN_KEYWORDS, ...HELP_KEYWORDS]) {
    assert.ok(
      rows.some((row) => row.text === keyword && row.match === "keyword"),
      keyword,
    );
  }
});

test("the result holds the keyword in capitals, or the phrase's words", () => {
  assert.equal(matchKeyword("“stop.”", { optedOut: false })?.keyword, "STOP");
  assert.equal(matchKeyword("opt-out", { optedOut: false })?.keyword, "OPT OUT");
  assert.equal(matchKeyword("S T O P", { optedOut: false })?.keyword, "STOP");
  assert.equal(matchKeyword("yes", { optedOut: true })?.keyword, "YES");
  assert.equal(
    matchKeyword("Hi! Please STOP texting me. Bye", { optedOut: false })?.keyword,
    "please stop texting me",
  );
  const long = `please ${"stop ".repeat(25)}`;
  assert.equal(matchKeyword(long, { optedOut: false })?.keyword.length, PHRASE_CHARS_MAX);
});

test("decoration never hides a keyword", () => {
  const decoration = fc.string({
    unit: fc.constantFrom(
      " ",
      ".",
      "!",
      '"',
      "“",
      "\n",
      "\u00a0",
      "😡",
      "🛑",
      "*",
      "-",
      "…",
      "\u200b",
    ),
    maxLength: 6,
  });
  const invisible = fc.constantFrom("", "\u200b", "\u200d", "\u00ad", "\u2060", "\ufe0f", "\u0301");
  const keywords = fc.constantFrom(...OPT_OUT_KEYWORDS, ...OPT_IN_KEYWORDS, ...HELP_KEYWORDS);
  const fullWidth = (letter: string) =>
    letter === " " ? letter : String.fromCodePoint(letter.charCodeAt(0) + 0xfee0);
  const shapes = fc.array(
    fc.constantFrom(
      (c: string) => c,
      (c: string) => c.toLowerCase(),
      fullWidth,
    ),
    { minLength: 11, maxLength: 11 },
  );
  fc.assert(
    fc.property(
      keywords,
      shapes,
      invisible,
      decoration,
      decoration,
      (word, shape, gap, before, after) => {
        const letters = [...word].map((c, i) => (shape[i]?.(c) ?? c) + gap);
        const found = matchKeyword(before + letters.join("") + after, { optedOut: false });
        assert.equal(found?.match, "keyword");
        assert.equal(found?.keyword, word);
      },
    ),
    { numRuns: 500 },
  );
});

test("a number behind a keyword is never an opt-out", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...OPT_OUT_KEYWORDS),
      fc.oneof(fc.nat(), fc.nat(9)),
      fc.constantFrom(" ", "", "-", " #", ": ", ", "),
      (keyword, number, between) => {
        assert.equal(matchKeyword(`${keyword}${between}${number}`, { optedOut: false }), null);
      },
    ),
  );
});

test("don't before a request negates it", () => {
  const requests = rows
    .filter((row) => row.match === "phrase" && /^(?:stop|remove|unsubscribe|take) /i.test(row.text))
    .map((row) => row.text)
    .filter((text) => !/[.!?,\n]|\bor\b|\bi\b|because|wrong/i.test(text));
  assert.ok(requests.length > 30);
  for (const request of requests) {
    for (const negation of ["Don't", "Do not", "please don’t", "Never", "I didn't say"]) {
      const text = `${negation} ${request}`;
      assert.equal(matchKeyword(text, { optedOut: false }), null, text);
    }
  }
});

test("any string has a result", () => {
  const words = fc.string({
    unit: fc.constantFrom(
      "stop ",
      "text",
      "ing ",
      "me ",
      "please ",
      "don't ",
      "i ",
      ", ",
      ". ",
      "? ",
      "\n",
      "🛑",
      "so ",
      "off ",
    ),
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      fc.oneof(words, fc.string({ unit: "binary", maxLength: 300 })),
      fc.boolean(),
      (text, optedOut) => {
        const found = matchKeyword(text, { optedOut });
        if (found) assert.ok(found.keyword.length > 0 && found.keyword.length <= PHRASE_CHARS_MAX);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("matching is linear, and the length is bounded", () => {
  const fill = (unit: string) => unit.repeat(Math.ceil(200_000 / unit.length));
  const hard = [
    "stop ",
    "please ",
    "please no ok ",
    "stop sending me any more of all these ",
    "remove me from all of the texting list ",
    "revoke my all any prior ",
    "i dont want any more ",
    "no, ",
    "stop. ",
    "if you dont stop texting ",
    "ssssstttoooppp",
    "i ",
    "you so i ",
    ".",
    "\u0301",
    "ﷺ",
    "a\u200b",
    "'",
    "🛑 ",
    "no me mande mas mensajes mas ",
  ].map(fill);
  const started = performance.now();
  for (const text of hard) matchKeyword(text, { optedOut: false });
  const each = (performance.now() - started) / hard.length;
  // Measured at about 2 ms. Backtracking takes seconds, so a wide margin still detects it.
  assert.ok(each < 100, `${each} ms each`);
});
