import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LARGE_BODY_BYTES_MAX, Problem, routes } from "@longwave/contract";
import fc from "fast-check";
import { assertHoldsNobodyUp } from "../../../testing/event-loop-blocking.ts";
import { claimOf, OPERATOR_OWNER } from "../idempotency/fingerprint.ts";
import { parseStrictJson } from "./json-body.ts";
import { compileBody } from "./validate.ts";

const VALUES_MAX = Math.floor(LARGE_BODY_BYTES_MAX * 0.2);
const BATCH = routes["batches.create"];
const validate = compileBody(BATCH.body, "absent");

/** All processing of a body before its handler. */
async function readWhole(bytes: Buffer): Promise<void> {
  try {
    const { value, parts } = await parseStrictJson(bytes, VALUES_MAX);
    await validate(value, parts);
    await claimOf("k", OPERATOR_OWNER, { ...BATCH, body: value, isLarge: true }, false);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
  }
}

const filled = (unit: string, bytes = LARGE_BODY_BYTES_MAX - 300) =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const manyKeys = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
const recipients = (variables: number, chars: number) => {
  const own = Object.fromEntries(
    Array.from({ length: variables }, (_, index) => [`variable_${index}`, "é".repeat(chars)]),
  );
  const one = `${JSON.stringify({ to: "+14155550123", variables: own })},`;
  const list = filled(one)
    .slice(0, 10_000 * one.length)
    .slice(0, -1);
  return `{"name":"a","from":"+15005550100","body":"Hi {{x}}","recipients":[${list}]}`;
};

/** Body shapes within the size limit. Every finding of a review is added here. */
const SHAPES: Readonly<Record<string, string>> = {
  "700,000 keys": manyKeys(700_000),
  "objects of 1,000 keys": `{"recipients":[${filled(`${manyKeys(1_000)},`)}{}]}`,
  "escaped keys": `{"recipients":[${filled('{"\\u0061":1},')}{}]}`,
  "empty objects": `{"recipients":[${filled("{},")}{}]}`,
  "empty arrays": `{"recipients":[${filled("[],")}[]]}`,
  "small numbers": `{"recipients":[${filled("1,")}1]}`,
  "long numbers": `{"recipients":[${filled("1234567890123456,")}1]}`,
  exponents: `{"recipients":[${filled("1e5,")}1]}`,
  "depth 30": `{"recipients":[${filled(`${"[".repeat(28)}${"]".repeat(28)},`)}1]}`,
  "one long string": `{"body":"${filled("é")}"}`,
  "one string of escapes": `{"body":"${filled("\\u0041")}"}`,
  "surrogate pairs": `{"recipients":["${filled("\\ud83d\\ude00")}"]}`,
  "strings with escapes": `{"recipients":[${filled('"\\n",')}"a"]}`,
  spaces: `{"body":${filled(" ")}1}`,
  "a list where none belongs": `{"nonsense":[${filled("1,", 2_000_000)}1]}`,
  "two lists": `{"recipients":[${filled("{},", 4_000_000)}{}],"tags":[${filled("1,", 4_000_000)}1]}`,
  "a list in a list": `{"recipients":[[${filled('"a",')}1]]}`,
  "ten thousand recipients": recipients(5, 20),
  "recipients of fifty variables": recipients(50, 5),
  "recipients of long variables": recipients(3, 1_600),
  "an escape in every item": `{"recipients":[${filled('{"one":"\\n€𑐪ꎬ","two":"裺Ά𑌆"},')}1]}`,
};

const SHAPES_TRIED = 12;
/** A small JSON value: bodies are filled with it. Keys, escapes, lists, numbers, strings and depth, in any mixture. */
const { value: anyValue } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("1", "-0.5", "12345678901234", "1e5", "true", "null", '""'),
    fc.string({ maxLength: 40, unit: "grapheme" }).map((text) => JSON.stringify(text)),
    fc.nat({ max: 40 }).map((times) => `"${"\\u0061\\n".repeat(times)}"`),
    fc.nat({ max: 25 }).map((depth) => "[".repeat(depth + 1) + "]".repeat(depth + 1)),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 30 }).map((values) => `[${values.join()}]`),
  object: fc
    .array(tie("value"), { maxLength: 30 })
    .map((values) => `{${values.map((one, index) => `"k\\u0031${index}":${one}`).join()}}`),
}));
/** Position of the values: in the expected list, in a nested list, in an unexpected list, at the top level. */
const VALUE_POSITIONS: readonly ((values: string) => string)[] = [
  (values) => `{"recipients":[${values}]}`,
  (values) => `{"recipients":[[${values}]]}`,
  (values) => `{"from":"+15005550100","nonsense":[${values}],"recipients":[]}`,
  (values) => `[${values}]`,
];

describe("large bodies", () => {
  for (const [name, text] of Object.entries(SHAPES)) {
    it(`do not block the event loop: ${name}`, async () => {
      const bytes = Buffer.from(text);
      assert.ok(bytes.length <= LARGE_BODY_BYTES_MAX, `${bytes.length} bytes`);
      await assertHoldsNobodyUp(() => readWhole(bytes));
    });
  }

  it("do not block the event loop, whatever their content", async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.constantFrom(...VALUE_POSITIONS), async (value, wrap) => {
        const bytes = Buffer.from(wrap(`${filled(`${value},`, LARGE_BODY_BYTES_MAX - 10_000)}1`));
        fc.pre(bytes.length <= LARGE_BODY_BYTES_MAX);
        await assertHoldsNobodyUp(() => readWhole(bytes));
      }),
      // The seed identifies the body: shrinking a body of 8 MiB would exceed any test timeout.
      { numRuns: SHAPES_TRIED, endOnFailure: true },
    );
  });
});
