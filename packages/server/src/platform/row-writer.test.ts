import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { cloneDatabase } from "../../testing/cluster.ts";
import { storableText } from "./outside-text.ts";
import { columns, shape } from "./row-writer.ts";

/** A constant with everything that means something in a template. */
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

describe("rows as texts", () => {
  it("are what JSON.stringify writes of the same rows as objects", () => {
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

  it("are arrays that PostgreSQL reads as the columns they came from", async (t) => {
    const database = await cloneDatabase();
    const client = new pg.Client(database.connection);
    await client.connect();
    t.after(async () => {
      await client.end();
      await database.drop();
    });
    const arraysOf = columns<Row>((field) => [
      field.plain("id"),
      field.plain("owner"),
      field.text("note"),
      field.number("count"),
      field.boolean("isNew"),
      field.moment("ended"),
      field.made(({ micros }) => micros),
    ]);
    const storable = (text: string | null) => (text === null ? null : storableText(text));
    const rows = fc.array(ROW, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const stored = given.map((row) => ({ ...row, note: storable(row.note) }));
        const read = await client.query({
          text: `select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::boolean[],
                   $6::timestamptz[], $7::bigint[]) as r (id, owner, note, count, is_new, ended, micros)`,
          values: arraysOf(stored),
        });
        assert.deepEqual(
          read.rows.map((row) => ({ ...row, ended: row.ended?.getTime() ?? null })),
          stored.map(({ id, owner, note, count, isNew, ended, micros }) => ({
            id,
            owner,
            note,
            count: count === null ? null : String(count),
            is_new: isNew,
            ended,
            micros: String(micros),
          })),
        );
      }),
    );
  });
});
