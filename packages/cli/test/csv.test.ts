import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decode, mapColumns, PHONE_NAMES, parseTable, readTable, rejectedCsv } from "../src/csv.ts";
import { contactsOf, importContacts } from "../src/import-contacts.ts";

test("columns match common names, or --map", () => {
  const table = parseTable("Name,Cell,Tags\nAnn,415 555 0100,a|b\n");
  assert.deepEqual([...mapColumns(table.columns, { to: PHONE_NAMES }, [])], [["to", 1]]);
  assert.deepEqual([...mapColumns(table.columns, { to: PHONE_NAMES }, ["to=Name"])], [["to", 0]]);
  assert.throws(() => mapColumns(table.columns, {}, ["to=Phone"]), /There are: Name, Cell, Tags/);
  assert.throws(() => parseTable('a,b\n"open'), /no CSV/);
  assert.throws(() => parseTable("a,a\n1,2\n"), /two columns/);
  assert.throws(() => parseTable("only,a,header\n"), /at least one row/);
  const csv = rejectedCsv(table, [{ index: 0, reason: "malformed", detail: "=1+1" }]);
  assert.equal(csv.split("\r\n")[1], "Ann,415 555 0100,a|b,malformed,'=1+1");
});

test("phone columns are found by their common names, mobile phones first", () => {
  const names = [
    "Telephone",
    "Mobile Phone",
    "msisdn",
    "MSISDN",
    "Cell Phone",
    "Phone No.",
    "Tel.",
  ];
  const foreign = ["Téléphone", "Numéro de téléphone", "Teléfono móvil", "Celular"];
  for (const name of [...names, ...foreign]) {
    const found = mapColumns(["Name", name, "City"], { to: PHONE_NAMES }, []);
    assert.equal(found.get("to"), 1, name);
  }
  const both = mapColumns(["Phone", "Mobile"], { to: PHONE_NAMES }, []);
  assert.equal(both.get("to"), 1, "a text goes to the mobile phone");
  assert.equal(mapColumns(["Home", "Work"], { to: PHONE_NAMES }, []).size, 0);
});

test("CSV files in UTF-8, UTF-16 and Latin-1 are read", () => {
  const csv = "Name;Téléphone\nZoë Müller;500 555 0000\n";
  const utf16 = Buffer.from(csv, "utf16le");
  const files: [string, Uint8Array][] = [
    ["UTF-8", Buffer.from(csv)],
    ["UTF-8", Buffer.from(`\ufeff${csv}`)],
    ["UTF-16LE", Buffer.from(`\ufeff${csv}`, "utf16le")],
    ["UTF-16LE", utf16],
    ["UTF-16BE", Buffer.from(utf16).swap16()],
    ["UTF-16BE", Buffer.from(`\ufeff${csv}`, "utf16le").swap16()],
    ["Windows-1252", Buffer.from(csv, "latin1")],
  ];
  const folder = mkdtempSync(join(tmpdir(), "lw-csv-"));
  for (const [encoding, bytes] of files) {
    writeFileSync(join(folder, "people.csv"), bytes);
    assert.deepEqual(readTable(join(folder, "people.csv")), {
      columns: ["Name", "Téléphone"],
      rows: [["Zoë Müller", "500 555 0000"]],
      encoding,
    });
  }
  rmSync(folder, { recursive: true });
  assert.equal(decode(Buffer.from("€ “a”", "utf8")).text, "€ “a”");
  assert.equal(decode(Uint8Array.of(0x80, 0x93)).text, "€“", "Windows' own characters");
});

test("columns for the circumstances of an opt-in become its evidence", () => {
  const [contact] = contactsOf(
    parseTable(
      "Phone,Opt in,Consent basis,Consent text,Consent IP,IP\n+14155550000,yes,express,I agree.,203.0.113.7,10.0.0.1\n",
    ),
    [],
  );
  assert.deepEqual(contact, {
    phone_number: "+14155550000",
    opt_in: {
      ...{ status: true, basis: "express" },
      evidence: { disclosure: "I agree.", ip: "203.0.113.7" },
    },
    attributes: { ip: "10.0.0.1" },
  });
});

test("contacts are sent 500 at a time, as one import, and reported by the rows of the file", async () => {
  const rows = Array.from(
    { length: 1_100 },
    (_, at) => `Person ${at},+1415555${String(at).padStart(4, "0")},yes,web,Oslo`,
  );
  const table = parseTable(`Name,Phone,Opt in,Opt-in source,Home town\n${rows.join("\n")}\n`);
  const contacts = contactsOf(table, []);
  assert.deepEqual(contacts[0], {
    phone_number: "+14155550000",
    name: "Person 0",
    opt_in: { status: true, source: "web" },
    attributes: { home_town: "Oslo" },
  });
  const asked: Record<string, unknown>[] = [];
  const report = await importContacts(
    contacts,
    async (body) => {
      asked.push(body);
      const count = (body["contacts"] as unknown[]).length;
      return {
        created: count - 1,
        updated: 0,
        import_id: "imp_1",
        skipped: [{ index: 3, reason: "malformed" }],
      };
    },
    { dryRun: false, name: "people" },
  );
  assert.deepEqual(
    asked.map((body) => [(body["contacts"] as unknown[]).length, body["import_id"], body["name"]]),
    [
      [500, undefined, "people"],
      [500, "imp_1", undefined],
      [100, "imp_1", undefined],
    ],
  );
  assert.equal(report.totals["created"], 1_097);
  assert.deepEqual(
    report.rejected.map(({ index }) => index),
    [3, 503, 1_003],
  );
  assert.throws(() => contactsOf(parseTable("a,b\n1,2\n"), []), /--map phone_number=COLUMN/);
});
