import assert from "node:assert/strict";
import { test } from "node:test";
import type { RejectedRow } from "@longwave/sdk";
import { inLines, rejectedCsv } from "./rejected-rows.ts";

const DUPLICATE: RejectedRow = {
  index: 802,
  to: "(206) 555-1000",
  reason: "duplicate",
  detail: "+12065551000 is already in row 0.",
};

test("a duplicate names both lines as the file's reader counts them", () => {
  const { line, detail } = inLines(DUPLICATE, 2);
  assert.deepEqual([line, detail], [804, "+12065551000 is already in line 2."]);
});

// Spreadsheets would read a text that begins with "+" as a formula: `csvRow` quotes it.
test("the download counts like the page, and has no lines without a file", () => {
  assert.equal(
    rejectedCsv([DUPLICATE], 2),
    "line,to,reason,detail\r\n804,(206) 555-1000,duplicate,'+12065551000 is already in line 2.\r\n",
  );
  const optedOut: RejectedRow = {
    index: 0,
    to: "+12065551000",
    reason: "opted_out",
    detail: "+12065551000 has opted out.",
  };
  assert.equal(
    rejectedCsv([optedOut], null),
    "to,reason,detail\r\n+12065551000,opted_out,'+12065551000 has opted out.\r\n",
  );
});
