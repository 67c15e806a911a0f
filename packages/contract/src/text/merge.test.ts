import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mergeTemplate, parseTemplate, templateVariables } from "./merge.ts";

function merge(body: string, variables: Record<string, string> = {}): string {
  const parsed = parseTemplate(body);
  assert.ok(parsed.ok, body);
  const merged = mergeTemplate(parsed.template, variables);
  return merged.ok ? merged.text : `missing:${merged.missing}`;
}

test("variables are filled in, trimmed, as often as they occur", () => {
  assert.equal(merge("Hi {{name}}!", { name: "Ana" }), "Hi Ana!");
  assert.equal(merge("{{a}}{{b}}{{a}}", { a: "1", b: "2" }), "121");
  assert.equal(merge("{{ name }} {{\tname\n}}", { name: "Ana" }), "Ana Ana");
  assert.equal(merge("{{first name}}", { "first name": "Ana" }), "Ana");
  assert.equal(merge("{{größe}} {{😀}}", { größe: "XL", "😀": "smile" }), "XL smile");
  assert.equal(merge("plain"), "plain");
  assert.equal(merge(""), "");
  assert.equal(merge("{{Name}}", { name: "Ana" }), "missing:Name", "names keep their case");
});

test("a missing or empty value takes the fallback, or else reports the variable", () => {
  assert.equal(merge("Hi {{name|there}}!"), "Hi there!");
  assert.equal(merge("Hi {{ name | my friend }}!"), "Hi my friend!");
  assert.equal(merge("Hi {{name|there}}!", { name: "Ana" }), "Hi Ana!");
  assert.equal(merge("Hi {{name|there}}!", { name: "" }), "Hi there!");
  assert.equal(merge("Hi {{name|there}}!", { name: "  " }), "Hi there!");
  assert.equal(merge("Hi {{name}}!"), "missing:name");
  assert.equal(merge("Hi {{name}}!", { name: "" }), "missing:name");
  assert.equal(merge("Hi {{name}}!", { name: " \u00a0\n" }), "missing:name");
  assert.equal(merge("{{a}} {{b}} {{c}}", { a: "1" }), "missing:b");
  assert.equal(merge("Hi{{name|}}!"), "Hi!", "an empty fallback was written on purpose");
  assert.equal(merge("{{a|b|c}}"), "b|c");
});

test("values are inserted literally: never expanded, escaped or trimmed", () => {
  assert.equal(merge("{{a}} {{b}}", { a: "{{b}}", b: "2" }), "{{b}} 2");
  assert.equal(merge("{{a}}b}}", { a: "{{" }), "{{b}}");
  assert.equal(merge("{{a}}", { a: 'O\'Neil & <co> "x"' }), 'O\'Neil & <co> "x"');
  assert.equal(merge("{{a}}", { a: "$& $1 $` $$" }), "$& $1 $` $$");
  assert.equal(merge("[{{a}}]", { a: " x " }), "[ x ]");
});

test("only own properties are values", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    assert.equal(merge(`{{${name}}}`), `missing:${name}`);
  }
  const own = JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, string>;
  assert.equal(merge("{{__proto__}}{{constructor}}", own), "xy");
  const inherited = Object.create({ name: "Ana" }) as Record<string, string>;
  assert.equal(merge("{{name}}", inherited), "missing:name");
  assert.equal(merge("{{n}}", { n: 5 as unknown as string }), "missing:n");
  assert.equal(merge("{{n}}", Object.assign(Object.create(null), { n: "5" })), "5");
});

test("single braces and closing pairs are literal", () => {
  for (const body of ["{name}", "}}", "a { b } c", "{ {name} }", "}}{"]) {
    assert.equal(merge(body, { name: "Ana" }), body);
  }
});

test("unbalanced braces are refused with a reason", () => {
  for (const [body, reason] of [
    ["Hi {{name", /not closed/],
    ["{{", /not closed/],
    ["Hi {{name}", /not closed/],
    ["{{a}} {{b", /not closed/],
    ["{{a {{b}}", /a "\{" inside it/],
    ["{{{name}}}", /a "\{" inside it/],
    ["{{a|{b}}}", /a "\{" inside it/],
    ["{{}}", /no name/],
    ["{{  }}", /no name/],
    ["{{|there}}", /no name/],
    [`{{${"x".repeat(101)}}}`, /longer than 100/],
  ] as const) {
    const parsed = parseTemplate(body);
    assert.equal(parsed.ok, false, body);
    if (!parsed.ok) assert.match(parsed.reason, reason, body);
  }
});

test("variables are listed once, in order", () => {
  const parsed = parseTemplate("{{b}} {{a|x}} {{ b }}");
  assert.ok(parsed.ok);
  assert.deepEqual(templateVariables(parsed.template), ["b", "a"]);
});

test("any body and values come out unchanged", () => {
  const plain = fc.string({ unit: "binary" }).map((text) => text.replaceAll("{", "("));
  const value = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text.trim() !== "");
  fc.assert(
    fc.property(plain, value, plain, value, plain, (before, first, middle, second, after) => {
      const text = merge(`${before}{{a}}${middle}{{ b |x}}${after}`, { a: first, b: second });
      assert.equal(text, before + first + middle + second + after);
    }),
  );
});

test("a body of only braces parses in one pass", () => {
  const many = "{{a}}".repeat(100_000);
  assert.equal(merge(many, { a: "x" }).length, 100_000);
  assert.equal(parseTemplate("{{".repeat(100_000)).ok, false);
});
