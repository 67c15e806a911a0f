import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { shape } from "./row-writer.ts";

/** A constant with every character that has a meaning in a template. */
const MARKS = `a "row" with \`ticks\`, \\ and $${"{marks}"}`;

interface Row {
  readonly id: string;
  readonly owner: string | null;
  readonly word: "first" | "second";
  readonly name: string;
  readonly note: string | null;
  readonly count: number | null;
  readonly isNew: boolean;
  readonly at: number;
  readonly ended: number | null;
  readonly micros: number;
  readonly data: string;
}

const TEXT = fc.string({ unit: "binary" });
const MS = fc.integer({ min: 0, max: 4_102_444_800_000 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const ROW: fc.Arbitrary<Row> = fc.record({
  id: fc.uuid({ version: 7 }),
  owner: maybe(fc.uuid({ version: 7 })),
  word: fc.constantFrom("first", "second"),
  name: TEXT,
  note: maybe(TEXT),
  count: maybe(fc.integer()),
  isNew: fc.boolean(),
  at: MS,
  ended: maybe(MS),
  micros: fc.nat(100_000_000),
  data: fc.json().map((text) => JSON.stringify(JSON.parse(text))),
});

const SHAPE = shape<Row, Record<string, unknown>>((field) => ({
  object: field.constant(MARKS),
  two: field.constant(2),
  id: field.id("message", "id"),
  owner: field.id("account", "owner"),
  word: field.plain("word"),
  name: field.text("name"),
  note: field.text("note"),
  count: field.number("count"),
  is_new: field.boolean("isNew"),
  at: field.moment("at"),
  ended: field.moment("ended"),
  usd: field.usd("micros"),
  data: field.stored("data"),
  made: field.made(({ name, note }) => ({ name, notes: [note] })),
  made_null: field.made(() => null),
}));

describe("rows as JSON", () => {
  it("equals JSON.stringify of the same rows as objects", () => {
    fc.assert(
      fc.property(ROW, (row) => {
        assert.equal(SHAPE.write(row), JSON.stringify(SHAPE.show(row)));
      }),
      { numRuns: 1_000 },
    );
  });

  it("show every kind of field as the API does", () => {
    const row: Row = {
      id: "01900000-0000-7000-8000-000000000000",
      owner: null,
      word: "first",
      name: 'A "name"',
      note: null,
      count: 3,
      isNew: true,
      at: 1_800_000_000_000,
      ended: null,
      micros: 9_000,
      data: '{"a":[1]}',
    };
    const { id, ...rest } = SHAPE.show(row) as { id: string };
    assert.match(id, /^msg_/);
    assert.deepEqual(rest, {
      object: MARKS,
      two: 2,
      owner: null,
      word: "first",
      name: 'A "name"',
      note: null,
      count: 3,
      is_new: true,
      at: "2027-01-15T08:00:00.000Z",
      ended: null,
      usd: 0.009,
      data: { a: [1] },
      made: { name: 'A "name"', notes: [null] },
      made_null: null,
    });
  });
});
