import assert from "node:assert/strict";
import { test } from "node:test";
import { guessPhoneColumn, parseCsv, variableName } from "../../csv.ts";
import { EMPTY_FORM, hasAudience, mergedRow, requestOf, unknownVariables } from "./form.ts";

const FILE =
  '\uFEFFFirst name,Mobile,"Note, free"\r\nAda,(415) 555-0123,"said ""hi"""\r\n\r\nGrace,4155550124,\r\n';

function formOf(body: string) {
  const table = parseCsv(FILE, 10);
  return {
    ...EMPTY_FORM,
    table,
    phoneColumn: guessPhoneColumn(table),
    from: "+15005550100",
    body,
  };
}

test("a file becomes recipients: the phone column is detected, every other column is a variable", () => {
  const form = formOf("Hi {{first_name}}");
  assert.equal(form.phoneColumn, 1);
  assert.deepEqual(requestOf(form, true), {
    from: "+15005550100",
    body: "Hi {{first_name}}",
    name: null,
    dry_run: true,
    recipients: [
      { to: "(415) 555-0123", variables: { first_name: "Ada", note_free: 'said "hi"' } },
      { to: "4155550124", variables: { first_name: "Grace", note_free: "" } },
    ],
  });
});

test("rows beyond a batch's limit are counted, not sent", () => {
  const table = parseCsv(FILE, 1);
  assert.equal(table.rows.length, 1);
  assert.equal(table.rowsOverLimit, 1);
});

test("the preview equals what the server would send, and names missing variables", () => {
  const form = formOf("Hi {{first_name}}, {{note_free|hello}}");
  const grace = form.table.rows[1] ?? [];
  assert.deepEqual(mergedRow(form, grace), { ok: true, text: "Hi Grace, hello" });
  assert.deepEqual(mergedRow(formOf("{{note_free}}"), grace), {
    ok: false,
    problem: "This row has no value for {{note_free}}.",
  });
  assert.deepEqual(unknownVariables(formOf("{{nick}} {{first_name}} {{x|y}}")), ["nick"]);
  assert.equal(variableName("  E-Mail (private) "), "e_mail_private");
});

test("contacts of a segment or with tags become recipients on the server, perhaps of one topic", () => {
  const base = { ...EMPTY_FORM, from: "+15005550100", body: "Hi {{vet_name}}" };
  assert.equal(hasAudience(base), false);
  const segment = { ...base, audience: "segment", segmentId: "seg_1", topicId: "top_1" } as const;
  assert.equal(hasAudience(segment), true);
  assert.deepEqual(requestOf(segment, true), {
    ...{ from: base.from, body: base.body, name: null, dry_run: true },
    segment_id: "seg_1",
    topic_id: "top_1",
  });
  const tagged = { ...base, audience: "tags", tags: ["vip"] } as const;
  assert.deepEqual(requestOf(tagged, false).tags, ["vip"]);
  // A contact may have an attribute of that name.
  assert.deepEqual(unknownVariables(tagged), []);
});

test("contacts that were picked elsewhere are recipients by their ids", () => {
  const form = { ...EMPTY_FORM, audience: "contacts", contactIds: ["con_1", "con_2"] } as const;
  assert.equal(hasAudience(form), true);
  assert.equal(hasAudience({ ...form, contactIds: [] }), false);
  assert.deepEqual(requestOf({ ...form, from: "+15005550100", body: "Hi" }, false), {
    from: "+15005550100",
    body: "Hi",
    name: null,
    contact_ids: ["con_1", "con_2"],
  });
});
