import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConsentImport } from "@longwave/sdk";
import { parseCsv } from "../../csv.ts";
import { addTo, chunksOf, NOTHING_YET, rowsOf } from "./import-rows.ts";

test("a file gives each phone's consent, its date and its source", () => {
  const text = [
    "Mobile,Opt-in,Opt-in date,Source",
    "(415) 555-0101,yes,2026-01-02,web form",
    "(415) 555-0102,no,,",
    "(415) 555-0103,,,",
  ].join("\n");
  assert.deepEqual(rowsOf(parseCsv(text, 10), "opted_out"), [
    { phone_number: "(415) 555-0101", status: "opted_in", date: "2026-01-02", source: "web form" },
    { phone_number: "(415) 555-0102", status: "opted_out" },
    { phone_number: "(415) 555-0103", status: "opted_out" },
  ]);
});

test("columns for the circumstances of a choice become its evidence", () => {
  const text = [
    "Phone,Status,Date,Basis,Disclosure,Page URL,IP address,User agent,Form version,Collected at",
    "+14155550101,yes,2026-01-02,implied_inquiry,I agree.,https://a.example,203.0.113.7,Firefox,3,2026-01-02T10:00:00Z",
    "+14155550102,no,,,,,,,,",
  ].join("\n");
  assert.deepEqual(rowsOf(parseCsv(text, 10), "opted_out"), [
    {
      ...{ phone_number: "+14155550101", status: "opted_in", date: "2026-01-02" },
      basis: "implied_inquiry",
      evidence: {
        ...{ disclosure: "I agree.", page_url: "https://a.example", ip: "203.0.113.7" },
        ...{ user_agent: "Firefox", form_version: "3", collected_at: "2026-01-02T10:00:00Z" },
      },
    },
    { phone_number: "+14155550102", status: "opted_out" },
  ]);
});

test("a bare list of phones takes the status that the reader chose", () => {
  const rows = rowsOf(parseCsv("Phone\n+14155550101", 10), "opted_in");
  assert.deepEqual(rows, [{ phone_number: "+14155550101", status: "opted_in" }]);
});

test("rows go in requests of 500, and skipped rows are named by line", () => {
  const row = { phone_number: "+14155550101", status: "opted_out" } as const;
  const chunks = chunksOf(Array.from({ length: 501 }, () => row));
  assert.deepEqual(
    chunks.map((chunk) => chunk.length),
    [500, 1],
  );
  const answer = { opted_in: 0, opted_out: 499, unchanged: 0, skipped: [] } as never;
  const skipped = [{ index: 0, value: "12", reason: "malformed", detail: "Not a phone number." }];
  const last = { opted_in: 0, opted_out: 0, unchanged: 0, skipped } as unknown as ConsentImport;
  assert.deepEqual(addTo(addTo(NOTHING_YET, answer, 500, 2), last, 1, 2), {
    rows: 501,
    optedIn: 0,
    optedOut: 499,
    unchanged: 0,
    skipped: [{ line: 502, value: "12", detail: "Not a phone number." }],
  });
});
