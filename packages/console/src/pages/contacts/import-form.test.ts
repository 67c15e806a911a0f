import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactImport, ContactImportPreview } from "@longwave/sdk";
import { parseCsv } from "../../csv.ts";
import {
  addTo,
  type Chunk,
  chunksOf,
  EMPTY_IMPORT,
  guessUses,
  NOTHING_YET,
  rowOf,
} from "./import-form.ts";

const CSV = [
  "Full name,Mobile,E-Mail,Plan,Tags,Opt-in,Note",
  "Ada,(415) 555-0101,ada@example.com,gold,vip; berlin,yes,",
  "Bob,(415) 555-0102,,free,,no,x",
].join("\n");

function formOf(text: string) {
  const table = parseCsv(text, 10_000);
  return { ...EMPTY_IMPORT, table, uses: guessUses(table) };
}

test("columns are detected by their names and values", () => {
  assert.deepEqual(formOf(CSV).uses, [
    "name",
    "phone_number",
    "email",
    "attribute",
    "tags",
    "opt_in.status",
    "attribute",
  ]);
});

test("a line becomes a contact; empty cells clear nothing", () => {
  const form = { ...formOf(CSV), tags: ["spring"] };
  const [ada = [], bob = []] = form.table.rows;
  assert.deepEqual(rowOf(form, ada), {
    name: "Ada",
    phone_number: "(415) 555-0101",
    email: "ada@example.com",
    attributes: { plan: "gold" },
    opt_in: { status: true },
    tags: ["spring", "vip", "berlin"],
  });
  assert.deepEqual(rowOf(form, bob), {
    name: "Bob",
    phone_number: "(415) 555-0102",
    attributes: { plan: "free", note: "x" },
    opt_in: { status: false },
    tags: ["spring"],
  });
});

test("columns for the circumstances of an opt-in become its evidence", () => {
  const form = formOf(
    "Phone,Opt-in,Opt-in basis,Consent disclosure,Consent IP\n+14155550101,yes,express,I agree.,203.0.113.7",
  );
  assert.deepEqual(rowOf(form, form.table.rows[0] ?? []), {
    phone_number: "+14155550101",
    opt_in: {
      ...{ status: true, basis: "express" },
      evidence: { disclosure: "I agree.", ip: "203.0.113.7" },
    },
  });
});

const answered = (created: number, updated: number, skipped: number[] = []): ContactImport => ({
  object: "contact_import",
  created,
  updated,
  opted_out: 0,
  skipped: skipped.map((index) => ({ index, value: "x", reason: "no number" })),
  import_id: "imp_1",
  name: null,
});

test("requests have 500 rows, and refused rows are named by their line in the file", () => {
  const lines = Array.from({ length: 1_201 }, (_, i) => `+1415555${String(i).padStart(4, "0")}`);
  const chunks = chunksOf(formOf(["phone", ...lines].join("\n")));
  assert.deepEqual(
    chunks.map(({ rows }) => rows.length),
    [500, 500, 201],
  );
  const [first, second] = chunks as [Chunk, Chunk];
  const once = addTo(NOTHING_YET, answered(499, 0, [3]), first);
  const twice = addTo(once, answered(499, 0, [3]), second);
  assert.deepEqual(
    twice.refused.map((each) => each.line),
    [5, 505],
  );
  assert.equal(twice.created, 998);
});

test("rows of one number go into one request, and count as one person in trial and import", () => {
  const lines = Array.from({ length: 600 }, (_, i) => `+1415555${String(i).padStart(4, "0")}`);
  // The last line repeats the first person, who would be in another request by order alone.
  const chunks = chunksOf(formOf(["phone", ...lines, "(415) 555-0000"].join("\n")));
  assert.deepEqual(
    chunks.map(({ rows }) => rows.length),
    [500, 101],
  );
  const [first] = chunks as [Chunk];
  assert.deepEqual(first.lines.slice(0, 3), [2, 602, 3]);
  const summary = { will_create: 499, will_update: 0, duplicates: 1, marked_unsubscribed: 0 };
  const preview = { object: "contact_import_preview", summary, skipped: [] };
  const tried = addTo(NOTHING_YET, preview as unknown as ContactImportPreview, first);
  assert.deepEqual(tried, addTo(NOTHING_YET, answered(499, 1), first));
  assert.deepEqual([tried.created, tried.updated, tried.merged], [499, 0, 1]);
});
