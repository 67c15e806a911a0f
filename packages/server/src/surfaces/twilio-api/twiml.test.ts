import assert from "node:assert/strict";
import { test } from "node:test";
import { repliesIn } from "./twiml.ts";

const XML = '<?xml version="1.0" encoding="UTF-8"?>';

// biome-ignore format: one document per line, read as a table
const CASES: readonly [document: string, replies: readonly string[] | null][] = [
  [`${XML}<Response><Message>Hello</Message></Response>`, ["Hello"]],
  ["<Response><Message>  one </Message><Message>two</Message></Response>", ["one", "two"]],
  ['<Response><Message to="+15005550000"><Body>inside</Body><Media>https://a/b</Media></Message></Response>', ["inside"]],
  ["<Response><Message>a &amp; b &lt;c&gt; &#65;&#x1F600; &quot;&apos;</Message></Response>", ["a & b <c> A😀 \"'"]],
  ["<Response><Message><![CDATA[1 < 2]]></Message></Response>", ["1 < 2"]],
  ["<Response><!-- nothing --></Response>", []],
  ["<Response/>", []],
  ["\ufeff  <Response></Response>\n", []],
  ["<Response><Message></Message><Message>x</Message></Response>", ["x"]],
  ["<Response><Say>no</Say><Message>yes</Message></Response>", ["yes"]],
  ["<Response><Message>a<b>c</Message></Response>", null],
  ["<Response><Message>a</Response></Message>", null],
  ["<Response><Message>a</Message>", null],
  ["<!DOCTYPE x [<!ENTITY a 'b'>]><Response><Message>&a;</Message></Response>", null],
  ["<html><body>ok</body></html>", null],
  ["<Response/><Response/>", null],
  ["OK", null],
  ["", null],
  ['{"ok":true}', null],
  ["<Response><Message>&nosuch; &#0; &#xD800;</Message></Response>", ["&nosuch; &#0; &#xD800;"]],
];

for (const [document, replies] of CASES) {
  test(`TwiML: ${document.slice(0, 70)}`, () => assert.deepEqual(repliesIn(document), replies));
}

test("limits: ten replies, and nesting depth", () => {
  const many = "<Message>x</Message>".repeat(50);
  assert.equal(repliesIn(`<Response>${many}</Response>`)?.length, 10);
  const deep = `<Response>${"<a>".repeat(100)}${"</a>".repeat(100)}</Response>`;
  assert.equal(repliesIn(deep), null);
  const long = `<Response><Message ${'a="b" '.repeat(2_000)}`;
  assert.equal(repliesIn(long), null);
});
