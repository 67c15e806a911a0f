import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { csvRow } from "./csv.ts";
import { CsvFault, CsvReader } from "./csv-reader.ts";

function read(...pieces: string[]) {
  const reader = new CsvReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

test("lines, quotes, empty cells and both line breaks", () => {
  assert.deepEqual(read('\ufeffa,b\r\n"x, ""y""\nz",\n\n1,2'), [
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ['x, "y"\nz', ""] },
    { line: 5, cells: ["1", "2"] },
  ]);
});

test("written CSV reads back, wherever its chunks are split", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\r", "\n", "\r\n", "é", "😀") });
  const cells = fc.array(cell, { minLength: 2, maxLength: 4 });
  const rows = fc.array(cells, { maxLength: 6 });
  const property = fc.property(rows, fc.array(fc.nat(60), { maxLength: 8 }), (given, cuts) => {
    const text = given.map(csvRow).join("");
    const places = [0, ...cuts.sort((a, b) => a - b), text.length];
    const pieces = places.slice(1).map((place, at) => text.slice(places[at], place));
    // Some spreadsheets run a cell that begins with a carriage return, so the writer adds an
    // apostrophe.
    const expected = given.map((row) => row.map((one) => (one.startsWith("\r") ? `'${one}` : one)));
    assert.deepEqual(
      read(...pieces).map((record) => record.cells),
      expected,
    );
  });
  fc.assert(property, { numRuns: 300 });
});

test("a broken file is reported with its line", () => {
  const fault = (text: string) => {
    try {
      read(text);
    } catch (error) {
      assert.ok(error instanceof CsvFault);
      return `${error.line}: ${error.message}`;
    }
    return null;
  };
  assert.equal(fault('a,b\nc,"d'), "2: a quoted cell is not closed");
  assert.equal(fault('a,b\nc,d"e\n'), "2: a quotation mark stands within a cell");
  assert.equal(fault('a,b\n"c"d,e\n'), "2: something follows the end of a quoted cell");
  assert.equal(fault(`a\n${"x".repeat(20_000)}`), "2: it has more than 16384 characters");
});
