import assert from "node:assert/strict";
import { test } from "node:test";
import { firstRowLine, parsePeople, parseWholeCsv, withHeader } from "./csv.ts";

function utf8(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer as ArrayBuffer;
}

test("a file is accepted whole or refused with advice", () => {
  const text = utf8("Mobile\n+14155550181\n+14155550182\n+14155550183\n");
  const table = parseWholeCsv(text, 3);
  assert.ok(typeof table !== "string");
  assert.equal(table.rows.length, 3);
  assert.match(
    String(parseWholeCsv(text, 2)),
    /^The file has 3 rows, and one import takes 2\. Split/,
  );
  assert.match(String(parseWholeCsv(utf8("Mobile\n"), 2)), /^The file has no rows/);
});

test("a file that is not UTF-8 is read as Windows-1252, and says so", () => {
  const csv = "Name,Mobile\nJos\u00e9,+14155550181\n";
  const latin = new Uint8Array([...csv].map((letter) => letter.charCodeAt(0)));
  const table = parsePeople(latin.buffer, 10);
  assert.ok(typeof table !== "string");
  assert.deepEqual([table.rows[0]?.[0], table.isWindowsText], ["José", true]);
  const same = parsePeople(utf8(`\uFEFF${csv}`), 10);
  assert.ok(typeof same !== "string");
  assert.deepEqual([same.columns[0], same.rows[0]?.[0]], ["Name", "José"]);
  assert.equal(same.isWindowsText, undefined);
});

test("a first line with a phone number is a person, unless the reader says it names the columns", () => {
  const table = parsePeople(utf8("Ada,(415) 555-0181\nBob,+14155550182\n"), 2);
  assert.ok(typeof table !== "string");
  assert.deepEqual(table.columns, ["Column 1", "Column 2"]);
  assert.deepEqual(
    table.rows.map(([name]) => name),
    ["Ada", "Bob"],
  );
  assert.equal(firstRowLine(table), 1);
  const named = withHeader(table, true, 2);
  assert.deepEqual(named.columns, ["Ada", "(415) 555-0181"]);
  assert.deepEqual([named.rows.length, firstRowLine(named)], [1, 2]);
  assert.deepEqual(withHeader(named, false, 2), table);
  const full = parsePeople(utf8("+14155550181\n+14155550182\n+14155550183\n"), 2);
  assert.ok(typeof full !== "string");
  assert.deepEqual([full.rows.length, full.rowsOverLimit], [2, 1]);
  const alone = parsePeople(utf8("+14155550181\n"), 2);
  assert.ok(typeof alone !== "string");
  assert.equal(alone.rows.length, 1);
});
