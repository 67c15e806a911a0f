import assert from "node:assert/strict";
import test from "node:test";
import { jsonFaultIn } from "./json-fault.ts";

test("a mistake in JSON is found by line and column", () => {
  const faults: [text: string, line: number, column: number][] = [
    ['{"carriers": [', 1, 15],
    ['{\n  "a": 1,\n  "b" 2\n}', 3, 7],
    ['{\n  "a": [1, 2,],\n}', 2, 14],
    ['{"password": secret}', 1, 14],
    ['{"a": "x\ny"}', 1, 9],
    ["", 1, 1],
    ['{"a": 1}}', 1, 9],
    ["{'a': 1}", 1, 2],
  ];
  for (const [text, line, column] of faults) {
    assert.throws(() => JSON.parse(text), text);
    assert.deepEqual(jsonFaultIn(text), { line, column }, text);
  }
});
