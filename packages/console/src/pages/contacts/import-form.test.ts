import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../../csv.ts";
import { addTo, chunksOf, EMPTY_IMPORT, guessUses, NOTHING_YET, rowOf } from "./import-form.ts";

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

test("requests have 500 rows, and refused rows are named by their line in the file", () => {
  const lines = Array.from({ length: 1_201 }, (_, i) => `+1415555${String(i).padStart(4, "0")}`);
  const chunks = chunksOf(formOf(["phone", ...lines].join("\n")));
  assert.deepEqual(
    chunks.map((chunk) => chunk.length),
    [500, 500, 201],
  );
  const answer = {
    object: "contact_import",
    created: 499,
    updated: 0,
    opted_out: 0,
    skipped: [{ index: 3, value: "x", reason: "no number" }],
    import_id: "imp_1",
    name: null,
  } as const;
  const once = addTo(NOTHING_YET, { ...answer, skipped: [...answer.skipped] }, 500);
  const twice = addTo(once, { ...answer, skipped: [...answer.skipped] }, 500);
  assert.deepEqual(
    twice.refused.map((each) => each.line),
    [5, 505],
  );
  assert.equal(twice.created, 998);
});
