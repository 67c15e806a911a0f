import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWholeCsv } from "./csv.ts";

test("a file is accepted whole or refused with advice", () => {
  const text = "Mobile\n+14155550181\n+14155550182\n+14155550183\n";
  const table = parseWholeCsv(text, 3);
  assert.ok(typeof table !== "string");
  assert.equal(table.rows.length, 3);
  assert.match(
    String(parseWholeCsv(text, 2)),
    /^The file has 3 rows, and one import takes 2\. Split/,
  );
  assert.match(String(parseWholeCsv("Mobile\n", 2)), /^The file has no rows/);
});
