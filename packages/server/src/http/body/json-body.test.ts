import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LARGE_BODY_BYTES_MAX, Problem, routes } from "@longwave/contract";
import fc from "fast-check";
import { assertHoldsNobodyUp } from "../../../testing/event-loop-blocking.ts";
import { canonicalJson, claimOf, OPERATOR_OWNER } from "../idempotency/fingerprint.ts";
import { parseStrictJson } from "./json-body.ts";
import { faultAt } from "./json-fault.ts";
import { compileBody } from "./validate.ts";

const VALUES_MAX = Math.floor(LARGE_BODY_BYTES_MAX * 0.2);
const BATCH = routes["batches.create"];
const validate = compileBody(BATCH.body, "absent");

async function parse(text: string): Promise<unknown> {
  return (await parseStrictJson(Buffer.from(text), VALUES_MAX)).value;
}

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

const manyKeys = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;

describe("large bodies", () => {
  // json-body-blocking.slow.test.ts has the other shapes.
  it("do not block the event loop: 700,000 keys", async () => {
    const bytes = Buffer.from(manyKeys(700_000));
    await assertHoldsNobodyUp(() => readWhole(bytes));
  });

  it("an object with too many fields is refused, and the error names its path", async () => {
    await assert.rejects(parse(manyKeys(1_001)), /The body has more than 1000 fields/);
    await assert.rejects(parse(`{"a":[1,${manyKeys(1_001)}]}`), (error) => {
      return error instanceof Problem && error.details.param === "a[1]";
    });
    assert.equal(Object.keys((await parse(manyKeys(1_000))) as object).length, 1_000);
  });

  it("parse in parts to the same value as JSON.parse", async () => {
    // Numbers that keep all their digits: other tests cover refused numbers.
    const item = fc
      .jsonValue({ maxDepth: 3 })
      .map((value) =>
        JSON.parse(JSON.stringify(value), (_, one) =>
          typeof one === "number" ? Math.trunc(one % 1_000) : one,
        ),
      );
    const bodies = fc.record({ a: item, recipients: fc.array(item, { maxLength: 8 }), z: item });
    await fc.assert(
      fc.asyncProperty(bodies, fc.integer({ min: 1, max: 400 }), async (body, times) => {
        const long = Array.from({ length: times }, () => [...body.recipients, "é".repeat(300)]);
        const large = {
          ...body,
          recipients: long.flat(),
          tags: long.flat().map((one) => JSON.stringify(one)),
        };
        const text = JSON.stringify(large, null, times % 3);
        fc.pre(!/__proto__|\\u0000|\\ud[89a-f]/i.test(text));
        assert.deepEqual(await parse(text), JSON.parse(text));
        const whole = { method: "POST", path: "/x", body: large };
        const [once, inParts] = await Promise.all(
          [false, true].map((isLarge) =>
            claimOf("k", OPERATOR_OWNER, { ...whole, isLarge }, false),
          ),
        );
        assert.deepEqual(inParts?.fingerprint, once?.fingerprint);
      }),
      { numRuns: 40 },
    );
    assert.equal(canonicalJson({ b: 1, a: [2] }), '{"a":[2],"b":1}');
  });

  it("an item's error has the item's own index, in every part", async () => {
    const good = { to: "+14155550123", variables: { x: "y".repeat(100) } };
    const list: unknown[] = Array.from({ length: 5_000 }, () => good);
    list[4_321] = { to: 7 };
    const text = JSON.stringify({ from: "+15005550100", body: "Hi", recipients: list });
    const { value, parts } = await parseStrictJson(Buffer.from(text), VALUES_MAX);
    assert.ok((parts[0]?.ends.length ?? 0) > 3);
    await assert.rejects(
      async () => validate(value, parts),
      (error) => {
        return error instanceof Problem && error.details.param === "recipients[4321].to";
      },
    );
  });

  it("broken JSON is reported with line and column, in small and large bodies", async () => {
    const positionOfFault = async (text: string) => {
      const error = await parse(text).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Problem);
      return /line (\d+), column (\d+)/.exec(error.message)?.slice(1).join();
    };
    assert.equal(await positionOfFault("{"), "1,2");
    assert.equal(await positionOfFault('{"a":1,}'), "1,8");
    assert.equal(await positionOfFault('{\n  "é": 1,\n  "b" 2\n}'), "3,7");
    assert.equal(await positionOfFault(""), "1,1");
    const long = '  {"to": "x"},\n'.repeat(10_000);
    assert.equal(await positionOfFault(`{"recipients": [\n${long}  oops\n]}`), "10002,3");
    assert.equal(await positionOfFault(`{"recipients": [\n  oops,\n${long}  1\n]}`), "2,3");
    assert.equal(await positionOfFault(`{"recipients": [\n${long}  1\n]`), "10003,2");
  });

  it("the reported position is the first that JSON.parse rejects", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(), fc.nat(2), (value, offset, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        assert.equal(faultAt(text), text.length, "whole JSON ends at its end");
        const cut = text.slice(0, offset % text.length);
        const isWhole = (one: string) => {
          try {
            JSON.parse(one);
            return true;
          } catch {
            return false;
          }
        };
        fc.pre(!isWhole(cut));
        assert.ok(faultAt(cut) <= cut.length);
      }),
    );
    for (const [text, at] of [
      ["[1,]", 3],
      ['{"a":1,}', 7],
      ["[01]", 2],
      ['"\\x"', 1],
      ['"a\\nb', 5],
      ["[1}", 2],
      ["1 2", 2],
      ["nul", 0],
      ["{1:2}", 1],
      ["", 0],
    ] as const) {
      assert.equal(faultAt(text), at, text);
    }
  });
});
