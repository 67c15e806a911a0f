import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CsvValue, csvCell, csvRow, neutralizeCsvText } from "./csv.ts";

test("formulas get a leading apostrophe", () => {
  for (const text of [
    "=1+1",
    "=cmd|'/c calc'!A0",
    "+1+1",
    "+SUM(A1)",
    "-2+3",
    "-",
    "+",
    "@SUM(A1)",
    "--1",
    "+1 415 555 0100",
    "-1e5",
    "＝1+1",
    "＠x",
  ]) {
    assert.equal(neutralizeCsvText(text), `'${text}`, JSON.stringify(text));
  }
  assert.equal(neutralizeCsvText("\t=1"), "'\t'=1");
  assert.equal(neutralizeCsvText("\r=1"), "'\r'=1");
});

test("numbers, phone numbers and ordinary text stay as they are", () => {
  for (const text of [
    "+14155550100",
    "-5",
    "+5",
    "-0.25",
    "12",
    "",
    "a=b",
    "1-2",
    " =1",
    "'=1",
    "#x",
  ]) {
    assert.equal(neutralizeCsvText(text), text);
  }
  assert.equal(csvCell(-1e-7), "-1e-7");
  assert.equal(csvCell(-5), "-5");
  assert.equal(csvCell(true), "true");
  assert.equal(csvCell(null), "");
  assert.equal(csvCell(undefined), "");
});

test("commas, quotes and line ends are quoted", () => {
  assert.equal(csvCell("a,b"), '"a,b"');
  assert.equal(csvCell('say "hi"'), '"say ""hi"""');
  assert.equal(csvCell("a\nb"), '"a\nb"');
  assert.equal(csvCell("a\rb"), '"a\rb"');
  assert.equal(csvCell('=HYPERLINK("x","y")'), '"\'=HYPERLINK(""x"",""y"")"');
  assert.equal(csvRow(["id", 1, null, "a,b"]), 'id,1,,"a,b"\r\n');
  assert.equal(csvRow([""]), '""\r\n');
  assert.equal(csvRow(["", ""]), ",\r\n");
});

/** Independent RFC 4180 reader, written from the grammar. */
function read(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < csv.length; i++) {
    const c = csv[i] ?? "";
    if (quoted) {
      if (c !== '"') cell += c;
      else if (csv[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ",") {
      row.push(cell);
      cell = "";
    } else if (c === "\r" && csv[i + 1] === "\n") {
      rows.push([...row, cell]);
      row = [];
      cell = "";
      i++;
    } else cell += c;
  }
  return rows;
}

test("any table reads back cell by cell, and no cell starts a formula", () => {
  const cell = fc.oneof(
    fc.string({
      unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", "a", "1", " ", "é"),
    }),
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 5 }),
      (table) => {
        const rows = read(table.map((values: CsvValue[]) => csvRow(values)).join(""));
        assert.deepEqual(
          rows,
          table.map((values) =>
            values.map((value) =>
              typeof value === "string" ? neutralizeCsvText(value) : String(value ?? ""),
            ),
          ),
        );
        for (const text of rows.flat()) {
          assert.ok(!/^[=+\-@\t\r]/.test(text) || /^[+-]?[\d.]+$/.test(text), JSON.stringify(text));
        }
      },
    ),
  );
});

test("no part of a cell starts a formula where semicolons, tabs or line ends separate cells", () => {
  assert.equal(csvCell("a;=1+1"), '"a;\'=1+1"');
  assert.equal(csvCell("a;b"), '"a;b"');
  assert.equal(csvCell("a\tb"), '"a\tb"');
  assert.equal(csvCell("a\n-1+cmd|x"), '"a\n\'-1+cmd|x"');
  assert.equal(csvCell("+14155550100;+14155550101"), '"\'+14155550100;+14155550101"');
  const text = fc.string({
    unit: fc.constantFrom("=", "-", "@", "\t", ";", "\n", "\r", "a", "1", '"'),
  });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      for (const [, part = ""] of csvRow(cells).matchAll(/[;\t\r\n]([^;\t\r\n,"]*)/g)) {
        assert.ok(!/^[=+\-@]/.test(part) || /^[+-]?[\d.]+$/.test(part), JSON.stringify(part));
      }
    }),
  );
});
